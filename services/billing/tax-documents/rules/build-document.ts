// Builds a factura (01) or a crédito fiscal (03) in either generation of the schemas. Every key is there: null, never absent.
import type { Totals } from './totals.ts';
import type { Catalogs } from './catalogs.ts';
import { type Head, writeIdentification } from './identification.ts';
import { type Issuer, type PointOfSale, writeIssuer } from './issuer.ts';
import { conditionCode, type Payment, writePayment } from './payment.ts';
import { type Receiver, writeConsumer, writeTaxpayer } from './receiver.ts';

export type Sale = {
  head: Head & { kind: '01' | '03' };
  issuer: Issuer;
  at: PointOfSale;
  receiver: Receiver | null;
  totals: Totals;
  payment: Payment;
  notes: string | null;
};

export const ITEM_TYPES = { good: 1, service: 2, both: 3 } as const;
/** CAT-014: a service is counted in others, a good in units. */
export const UNITS_OF_MEASURE = { good: 59, service: 99, both: 99 } as const;

export function writeSale(catalogs: Catalogs, sale: Sale) {
  const { head, issuer, at, totals, notes } = sale;
  const legacy = head.generation === 'legacy';
  return {
    identificacion: writeIdentification(head),
    documentoRelacionado: null,
    emisor: writeIssuer(catalogs, issuer, at, head.kind, head.generation),
    receptor: writeReceiver(catalogs, sale),
    otrosDocumentos: null,
    ventaTercero: null,
    cuerpoDocumento: totals.lines.map((line, index) => ({
      numItem: index + 1,
      tipoItem: ITEM_TYPES[line.kind],
      numeroDocumento: null,
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
      tributos: head.kind === '03' && line.sale.gt(0) ? ['20'] : null,
      psv: 0,
      noGravado: 0,
      ...(head.kind === '01' && { ivaItem: line.iva.toNumber() }),
    })),
    resumen: writeSummary(sale, legacy),
    ...(legacy && { extension: notes ? writeNotes(notes) : null }),
    apendice: null,
  };
}

function writeReceiver(catalogs: Catalogs, { head, receiver }: Sale) {
  if (head.kind === '01') return writeConsumer(catalogs, receiver, head.generation);
  if (!receiver) throw new Error('a crédito fiscal has a receiver');
  return writeTaxpayer(catalogs, receiver, '03', head.generation);
}

function writeSummary({ head, totals, payment, notes }: Sale, legacy: boolean) {
  const sales = totals.sales.toNumber();
  const withheld = totals.withheld.toNumber();
  return {
    totalNoSuj: 0,
    totalExenta: 0,
    totalGravada: sales,
    subTotalVentas: sales,
    descuNoSuj: 0,
    descuExenta: 0,
    descuGravada: 0,
    porcentajeDescuento: 0,
    totalDescu: totals.discounts.toNumber(),
    tributos: head.kind === '03' ? ivaTotal(totals) : null,
    subTotal: sales,
    ...(head.kind === '03' && { [legacy ? 'ivaPerci1' : 'ivaPerci']: 0 }),
    ...(legacy ? { ivaRete1: withheld, reteRenta: 0 } : { ivaRete: withheld }),
    montoTotalOperacion: totals.operation.toNumber(),
    totalNoGravado: 0,
    totalPagar: totals.toPay.toNumber(),
    totalLetras: totals.words,
    ...(head.kind === '01' && { totalIva: totals.iva.toNumber() }),
    saldoFavor: 0,
    condicionOperacion: conditionCode(payment.condition),
    pagos: writePayment(payment, totals.toPay),
    numPagoElectronico: null,
    ...(!legacy && { observaciones: notes }),
  };
}

/** CAT-015, code 20. */
export function ivaTotal(totals: Totals) {
  return totals.sales.isZero() ? null : [{ codigo: '20', descripcion: 'Impuesto al Valor Agregado 13%', valor: totals.iva.toNumber() }];
}

function writeNotes(observaciones: string) {
  return { nombEntrega: null, docuEntrega: null, nombRecibe: null, docuRecibe: null, observaciones, placaVehiculo: null };
}
