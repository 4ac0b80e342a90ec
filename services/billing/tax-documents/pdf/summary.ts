// The amounts of a tax document, how it is paid, and the total in words.
import { BOLD, contentWidth, FAINT, INK, keepTogether, type Pdf, REGULAR } from '@clinic/lib/pdf/pdf.ts';
import type { Kind } from '../rules/kinds.ts';
import { drawField, drawHeading, MARGIN, money } from './layout.ts';

export type Summary = {
  totalGravada: number;
  tributos: { descripcion: string; valor: number }[] | null;
  subTotalVentas: number;
  ivaRete1?: number;
  ivaRete?: number;
  montoTotalOperacion: number;
  totalPagar?: number;
  totalIva?: number;
  totalLetras: string;
  condicionOperacion: number;
  pagos?: { codigo: string; montoPago: number; referencia: string | null; plazo: string | null; periodo: number | null }[] | null;
  observaciones?: string | null;
};

const CONDITIONS: Record<number, string> = { 1: 'Contado', 2: 'Crédito', 3: 'Otro' };
/** CAT-018, singular and plural. */
const UNITS: Record<string, [string, string]> = { '01': ['día', 'días'], '02': ['mes', 'meses'], '03': ['año', 'años'] };
/** CAT-017, abbreviated. */
const METHODS: Record<string, string> = {
  '01': 'Efectivo',
  '02': 'Tarjeta de débito',
  '03': 'Tarjeta de crédito',
  '04': 'Cheque',
  '05': 'Transferencia o depósito',
  '08': 'Dinero electrónico',
  '09': 'Monedero electrónico',
  '11': 'Bitcoin',
  '12': 'Criptomoneda',
  '13': 'Cuenta por pagar',
  '14': 'Giro bancario',
  '99': 'Otro medio',
};
/** The share of the width that the left column has. */
const LEFT = 0.56;

export function drawSummary(pdf: Pdf, kind: Kind, summary: Summary, notes: string | null): void {
  keepTogether(pdf, 150);
  const top = pdf.y;
  drawPayment(pdf, kind, summary, notes);
  const left = pdf.y;
  pdf.y = top;
  drawAmounts(pdf, kind, summary);
  pdf.y = Math.max(left, pdf.y);
}

function drawPayment(pdf: Pdf, kind: Kind, { totalLetras, condicionOperacion, pagos }: Summary, notes: string | null): void {
  const width = contentWidth(pdf) * LEFT - 18;
  drawHeading(pdf, 'Total en letras');
  pdf.font(REGULAR).fontSize(9).fillColor(INK).text(totalLetras, MARGIN, pdf.y, { width });
  pdf.moveDown(0.6);
  if (kind !== '05') drawField(pdf, 'Condición de la operación', CONDITIONS[condicionOperacion] ?? '', width);
  for (const { codigo, montoPago, referencia, plazo, periodo } of pagos ?? []) {
    const details = [referencia && `ref. ${referencia}`, plazo && `a ${periodo} ${UNITS[plazo]?.[periodo === 1 ? 0 : 1] ?? ''}`].filter(Boolean).join(', ');
    drawField(pdf, METHODS[codigo] ?? codigo, money(montoPago) + (details ? ` (${details})` : ''), width);
  }
  if (notes) drawField(pdf, 'Observaciones', notes, width);
}

function drawAmounts(pdf: Pdf, kind: Kind, summary: Summary): void {
  const withheld = summary.ivaRete1 ?? summary.ivaRete ?? 0;
  const toPay = summary.totalPagar ?? summary.montoTotalOperacion;
  // The items show their discounts, and their sum is net of them.
  const lines: [string, number][] = [
    ['Suma de ventas gravadas', summary.subTotalVentas],
    ...(summary.tributos ?? []).map(({ descripcion, valor }): [string, number] => [descripcion, valor]),
    ...(kind === '01' ? ([['IVA incluido', summary.totalIva ?? 0]] as [string, number][]) : []),
    ['Monto total de la operación', summary.montoTotalOperacion],
    ...(withheld > 0 ? ([['IVA retenido (1 %)', -withheld]] as [string, number][]) : []),
  ];
  const x = MARGIN + contentWidth(pdf) * LEFT;
  const width = contentWidth(pdf) * (1 - LEFT);
  for (const [label, amount] of lines) drawAmount(pdf, label, amount, x, width, 9);
  pdf.y += 3;
  drawAmount(pdf, kind === '05' ? 'TOTAL' : 'TOTAL A PAGAR', toPay, x, width, 12);
}

function drawAmount(pdf: Pdf, label: string, amount: number, x: number, width: number, size: number): void {
  const y = pdf.y;
  const bold = size > 9;
  pdf.font(bold ? BOLD : REGULAR).fontSize(size);
  pdf.fillColor(bold ? INK : FAINT).text(label, x, y, { width: width * 0.66 });
  const below = pdf.y;
  pdf.fillColor(INK).text(amount < 0 ? `-${money(-amount)}` : money(amount), x, y, { width, align: 'right' });
  pdf.y = Math.max(below, pdf.y) + 2;
}
