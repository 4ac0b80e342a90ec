// What it comes to, how it is paid, and the total in words.

import { printable } from '@clinic/lib/formats/printable.ts';
import type { Kind } from '../rules/kinds.ts';
import { FAINT, fact, heading, INK, keepTogether, MARGIN, money, type Paper, WIDTH } from './paper.ts';

export type Summary = {
  totalGravada: number;
  totalDescu: number;
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
const UNITS: Record<string, string> = { '01': 'días', '02': 'meses', '03': 'años' };
/** CAT-017, shortened. */
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
const LEFT = 0.56;

export function drawSummary(paper: Paper, kind: Kind, summary: Summary, notes: string | null): void {
  keepTogether(paper, 150);
  const top = paper.y;
  drawPayment(paper, kind, summary, notes);
  const left = paper.y;
  paper.y = top;
  drawAmounts(paper, kind, summary);
  paper.y = Math.max(left, paper.y);
}

function drawPayment(paper: Paper, kind: Kind, { totalLetras, condicionOperacion, pagos }: Summary, notes: string | null): void {
  const width = WIDTH * LEFT - 18;
  heading(paper, 'Total en letras');
  paper.font('Helvetica').fontSize(9).fillColor(INK).text(printable(totalLetras), MARGIN, paper.y, { width });
  paper.moveDown(0.6);
  if (kind !== '05') fact(paper, 'Condición de la operación', CONDITIONS[condicionOperacion] ?? '', width);
  for (const { codigo, montoPago, referencia, plazo, periodo } of pagos ?? []) {
    const details = [referencia && `ref. ${referencia}`, plazo && `a ${periodo} ${UNITS[plazo] ?? ''}`].filter(Boolean).join(', ');
    fact(paper, METHODS[codigo] ?? codigo, money(montoPago) + (details ? ` (${details})` : ''), width);
  }
  if (notes) fact(paper, 'Observaciones', notes, width);
}

function drawAmounts(paper: Paper, kind: Kind, summary: Summary): void {
  const withheld = summary.ivaRete1 ?? summary.ivaRete ?? 0;
  const toPay = summary.totalPagar ?? summary.montoTotalOperacion;
  const lines: [string, number][] = [
    ['Suma de ventas gravadas', summary.subTotalVentas],
    ...(summary.totalDescu > 0 ? ([['Descuentos aplicados', summary.totalDescu]] as [string, number][]) : []),
    ...(summary.tributos ?? []).map(({ descripcion, valor }): [string, number] => [descripcion, valor]),
    ...(kind === '01' ? ([['IVA incluido', summary.totalIva ?? 0]] as [string, number][]) : []),
    ['Monto total de la operación', summary.montoTotalOperacion],
    ...(withheld > 0 ? ([['IVA retenido (1 %)', -withheld]] as [string, number][]) : []),
  ];
  const x = MARGIN + WIDTH * LEFT;
  const width = WIDTH * (1 - LEFT);
  for (const [label, amount] of lines) drawAmount(paper, label, amount, x, width, 9);
  paper.y += 3;
  drawAmount(paper, kind === '05' ? 'TOTAL' : 'TOTAL A PAGAR', toPay, x, width, 12);
}

function drawAmount(paper: Paper, label: string, amount: number, x: number, width: number, size: number): void {
  const y = paper.y;
  const bold = size > 9;
  paper.font(bold ? 'Helvetica-Bold' : 'Helvetica').fontSize(size);
  paper.fillColor(bold ? INK : FAINT).text(printable(label), x, y, { width: width * 0.66 });
  const below = paper.y;
  paper.fillColor(INK).text(amount < 0 ? `-${money(-amount)}` : money(amount), x, y, { width, align: 'right' });
  paper.y = Math.max(below, paper.y) + 2;
}
