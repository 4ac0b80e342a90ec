// Builds a factura (01), a crédito fiscal (03) or a nota de crédito (05) in either generation of the schemas. Every key of the schema is
// present; a key without a value is null.
import type { Catalogs } from './catalogs.ts';
import { type Head, toIdentificacion } from './identification.ts';
import { type Issuer, type PointOfSale, toEmisor } from './issuer.ts';
import type { Order } from './order.ts';
import { conditionCode, toPagos } from './payment.ts';
import { toConsumer, toTaxpayer } from './receiver.ts';
import type { Totals } from './totals.ts';

/** The order must have passed orderFault(). */
export function buildDocument(catalogs: Catalogs, head: Head, issuer: Issuer, pointOfSale: PointOfSale, order: Order, totals: Totals) {
  const { kind, generation } = head;
  const { notes, of } = order;
  const isNote = kind === '05';
  if (isNote !== (of !== null)) throw new Error('a nota de crédito, and no other kind, must refer to a crédito fiscal');
  return {
    identificacion: toIdentificacion(head),
    documentoRelacionado: of && [{ tipoDocumento: '03', tipoGeneracion: 2, numeroDocumento: of.code, fechaEmision: of.day }],
    emisor: toEmisor(catalogs, issuer, pointOfSale, kind, generation),
    receptor: toReceptor(catalogs, head, order),
    ...(!isNote && { otrosDocumentos: null }),
    ventaTercero: null,
    cuerpoDocumento: toCuerpo(head, order, totals),
    resumen: isNote ? noteSummary(head, order, totals) : saleSummary(head, order, totals),
    ...(generation === 'legacy' && { extension: notes ? toExtension(notes, isNote) : null }),
    apendice: null,
  };
}

function toReceptor(catalogs: Catalogs, { kind, generation }: Head, { receiver }: Order) {
  if (kind === '01') return receiver && toConsumer(catalogs, receiver, generation);
  if (!receiver) throw new Error('a crédito fiscal and its notes must have a receiver');
  return toTaxpayer(catalogs, receiver, kind, generation);
}

/** CAT-011. */
const ITEM_TYPES = { good: 1, service: 2, both: 3 } as const;
/** CAT-014: 59 unit, 99 other. */
const UNITS_OF_MEASURE = { good: 59, service: 99, both: 99 } as const;

function toCuerpo({ kind, generation }: Head, { of }: Order, { lines }: Totals) {
  return lines.map(({ kind: itemKind, quantity, description, unitPrice, discount, sale, iva }, index) => ({
    numItem: index + 1,
    tipoItem: ITEM_TYPES[itemKind],
    numeroDocumento: of?.code ?? null,
    cantidad: quantity,
    codigo: null,
    codTributo: null,
    uniMedida: UNITS_OF_MEASURE[itemKind],
    descripcion: description,
    precioUni: unitPrice,
    montoDescu: discount,
    ventaNoSuj: 0,
    ventaExenta: 0,
    ventaGravada: sale.toNumber(),
    tributos: kind !== '01' && sale.gt(0) ? ['20'] : null,
    ...(kind === '01' && { psv: 0, noGravado: 0, ivaItem: iva.toNumber() }),
    ...(kind === '03' && { psv: 0, noGravado: 0 }),
    ...(kind === '05' && generation === 'current' && { noGravado: 0, ivaPerci: 0, totalIva: iva.toNumber(), ivaRete: 0 }),
  }));
}

/** The part of the summary that all kinds share. */
function sharedSummary({ kind }: Head, { payment }: Order, { sales, discounts, iva, operation, words }: Totals) {
  return {
    totalNoSuj: 0,
    totalExenta: 0,
    totalGravada: sales.toNumber(),
    subTotalVentas: sales.toNumber(),
    totalDescu: discounts.toNumber(),
    // CAT-015, code 20.
    tributos: kind === '01' || sales.isZero() ? null : [{ codigo: '20', descripcion: 'Impuesto al Valor Agregado 13%', valor: iva.toNumber() }],
    montoTotalOperacion: operation.toNumber(),
    totalLetras: words,
    condicionOperacion: kind === '05' ? 1 : conditionCode(payment.condition),
  };
}

function saleSummary(head: Head, order: Order, totals: Totals) {
  const legacy = head.generation === 'legacy';
  const withheld = totals.withheld.toNumber();
  return {
    ...sharedSummary(head, order, totals),
    descuNoSuj: 0,
    descuExenta: 0,
    descuGravada: 0,
    porcentajeDescuento: 0,
    subTotal: totals.sales.toNumber(),
    ...(head.kind === '03' && { [legacy ? 'ivaPerci1' : 'ivaPerci']: 0 }),
    ...(legacy ? { ivaRete1: withheld, reteRenta: 0 } : { ivaRete: withheld }),
    totalNoGravado: 0,
    totalPagar: totals.toPay.toNumber(),
    ...(head.kind === '01' && { totalIva: totals.iva.toNumber() }),
    saldoFavor: 0,
    pagos: toPagos(order.payment, totals.toPay),
    numPagoElectronico: null,
    ...(!legacy && { observaciones: order.notes }),
  };
}

function noteSummary(head: Head, order: Order, totals: Totals) {
  const shared = sharedSummary(head, order, totals);
  if (head.generation === 'legacy')
    return { ...shared, descuNoSuj: 0, descuExenta: 0, descuGravada: 0, subTotal: totals.sales.toNumber(), ivaPerci1: 0, ivaRete1: 0, reteRenta: 0 };
  return {
    ...shared,
    ivaPerci: 0,
    totalIva: totals.iva.toNumber(),
    ivaRete: 0,
    totalNoGravado: 0,
    totalPagar: totals.operation.toNumber(),
    observaciones: order.notes,
    codigoRetencionMH: null,
  };
}

function toExtension(observaciones: string, isNote: boolean) {
  return { nombEntrega: null, docuEntrega: null, nombRecibe: null, docuRecibe: null, observaciones, ...(!isNote && { placaVehiculo: null }) };
}
