// Builds a nota de crédito (05), which takes back a crédito fiscal or a part of it.
import type { Totals } from './totals.ts';
import type { Catalogs } from './catalogs.ts';
import { type Head, writeIdentification } from './identification.ts';
import { type Issuer, type PointOfSale, writeIssuer } from './issuer.ts';
import { type Receiver, writeTaxpayer } from './receiver.ts';
import { ITEM_TYPES, ivaTotal, UNITS_OF_MEASURE } from './build-document.ts';

export type CreditNote = {
  head: Head & { kind: '05' };
  issuer: Issuer;
  at: PointOfSale;
  receiver: Receiver;
  totals: Totals;
  /** The crédito fiscal: its code and the day of its issue. */
  of: { code: string; day: string };
  notes: string | null;
};

export function writeCreditNote(catalogs: Catalogs, note: CreditNote) {
  const { head, issuer, at, receiver, totals, of, notes } = note;
  const legacy = head.generation === 'legacy';
  return {
    identificacion: writeIdentification(head),
    documentoRelacionado: [{ tipoDocumento: '03', tipoGeneracion: 2, numeroDocumento: of.code, fechaEmision: of.day }],
    emisor: writeIssuer(catalogs, issuer, at, '05', head.generation),
    receptor: writeTaxpayer(catalogs, receiver, '05', head.generation),
    ventaTercero: null,
    cuerpoDocumento: totals.lines.map((line, index) => ({
      numItem: index + 1,
      tipoItem: ITEM_TYPES[line.kind],
      numeroDocumento: of.code,
      cantidad: line.quantity,
      codigo: null,
      codTributo: null,
      uniMedida: UNITS_OF_MEASURE[line.kind],
      descripcion: line.description,
      precioUni: line.unitPrice,
      montoDescu: line.discount,
      ventaNoSuj: 0,
      ventaExenta: 0,
      ventaGravada: line.sale.toNumber(),
      tributos: line.sale.gt(0) ? ['20'] : null,
      ...(!legacy && { noGravado: 0, ivaPerci: 0, totalIva: line.iva.toNumber(), ivaRete: 0 }),
    })),
    resumen: legacy ? legacySummary(totals) : currentSummary(totals, notes),
    ...(legacy && { extension: notes ? { nombEntrega: null, docuEntrega: null, nombRecibe: null, docuRecibe: null, observaciones: notes } : null }),
    apendice: null,
  };
}

function shared(totals: Totals) {
  const sales = totals.sales.toNumber();
  return {
    totalNoSuj: 0,
    totalExenta: 0,
    totalGravada: sales,
    subTotalVentas: sales,
    totalDescu: totals.discounts.toNumber(),
    tributos: ivaTotal(totals),
    montoTotalOperacion: totals.operation.toNumber(),
    totalLetras: totals.words,
    condicionOperacion: 1,
  };
}

function legacySummary(totals: Totals) {
  return { ...shared(totals), descuNoSuj: 0, descuExenta: 0, descuGravada: 0, subTotal: totals.sales.toNumber(), ivaPerci1: 0, ivaRete1: 0, reteRenta: 0 };
}

function currentSummary(totals: Totals, notes: string | null) {
  const operation = totals.operation.toNumber();
  return {
    ...shared(totals),
    ivaPerci: 0,
    totalIva: totals.iva.toNumber(),
    ivaRete: 0,
    totalNoGravado: 0,
    totalPagar: operation,
    observaciones: notes,
    codigoRetencionMH: null,
  };
}
