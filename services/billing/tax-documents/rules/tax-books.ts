// The two sales books of a month: sales to consumers by day, and sales to taxpayers by document.
import { fromCents } from './amounts.ts';
import type { Kind } from './kinds.ts';

export type BookEntry = {
  kind: Kind;
  day: string;
  controlNumber: string;
  code: string;
  seal?: string | undefined;
  isInvalidated: boolean;
  /** With IVA for a factura, without for the others. */
  salesCents: bigint;
  ivaCents: bigint;
  withheldCents: bigint;
  operationCents: bigint;
  receiver: { name: string; nit: string | null; nrc: string | null } | null;
};

const money = (cents: bigint) => fromCents(cents).toFixed(2);

export const CONSUMER_COLUMNS = [
  ...'fecha tipo_documento numero_control_del numero_control_al codigo_generacion_del codigo_generacion_al'.split(' '),
  ...'documentos ventas_exentas ventas_no_sujetas ventas_gravadas iva_incluido iva_retenido total_ventas'.split(' '),
];

/** One line per day and point of sale, which numbers its own documents. Invalidated documents do not count; without others there is no line. */
export function consumerBook(entries: BookEntry[]): string[][] {
  const series = Map.groupBy(
    entries.filter(({ kind, isInvalidated }) => kind === '01' && !isInvalidated),
    ({ day, controlNumber }) => day + controlNumber.slice(0, -15),
  );
  return [...series.values()].map((all) => {
    const total = (of: (entry: BookEntry) => bigint) => money(all.reduce((sum, entry) => sum + of(entry), 0n));
    const [first, last] = [all[0], all.at(-1)];
    return [
      first?.day ?? '',
      '01',
      first?.controlNumber ?? '',
      last?.controlNumber ?? '',
      first?.code ?? '',
      last?.code ?? '',
      String(all.length),
      '0.00',
      '0.00',
      total(({ salesCents }) => salesCents),
      total(({ ivaCents }) => ivaCents),
      total(({ withheldCents }) => withheldCents),
      total(({ operationCents }) => operationCents),
    ];
  });
}

export const TAXPAYER_COLUMNS = [
  ...'fecha tipo_documento numero_control codigo_generacion sello_recibido estado nit'.split(' '),
  ...'nrc nombre ventas_exentas ventas_no_sujetas ventas_gravadas debito_fiscal iva_retenido total_ventas'.split(' '),
];

/** One line per document. A nota de crédito counts as negative; the amounts of an invalidated document are 0. */
export function taxpayerBook(entries: BookEntry[]): string[][] {
  return entries
    .filter(({ kind }) => kind !== '01')
    .map((entry) => {
      const sign = entry.isInvalidated ? 0 : entry.kind === '05' ? -1 : 1;
      const signed = (cents: bigint) => money(cents * BigInt(sign));
      const { receiver } = entry;
      return [
        entry.day,
        entry.kind,
        entry.controlNumber,
        entry.code,
        entry.seal ?? '',
        entry.isInvalidated ? 'invalidado' : 'vigente',
        receiver?.nit ?? '',
        receiver?.nrc ?? '',
        receiver?.name ?? '',
        '0.00',
        '0.00',
        signed(entry.salesCents),
        signed(entry.ivaCents),
        signed(entry.withheldCents),
        signed(entry.operationCents),
      ];
    });
}
