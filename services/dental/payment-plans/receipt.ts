// The receipt of a payment. A voided one says so across the page, since the number stays in the books.

import { printable } from '@clinic/lib/formats/printable.ts';
import type { ClinicProfile } from '@clinic/proto/identity/v1/profile_pb.js';
import { spanishDate } from '../clinics/local-date-rules.ts';
import { FAINT, INK, MARGIN, makePaper, type Paper, RULE } from '../papers/document.ts';
import { drawLetterhead } from '../papers/letterhead.ts';
import { formatCents } from '../prices/money-rules.ts';

export type Receipt = {
  clinic: ClinicProfile;
  number: number;
  patient: string;
  concept: string;
  amount: bigint;
  /** What is still owed after it. */
  balance: bigint;
  method: string;
  notes: string | null;
  /** YYYY-MM-DD. */
  date: string;
  voided?: { date: string };
  /** When what it says came to be. */
  at: Date;
};

const METHODS: Record<string, string> = { cash: 'Efectivo', transfer: 'Transferencia', card: 'Tarjeta', other: 'Otro' };

export function drawReceipt(receipt: Receipt) {
  const { clinic, number, voided } = receipt;
  const shown = String(number).padStart(6, '0');
  return makePaper(`Recibo ${shown}`, `recibo-${shown}.pdf`, receipt.at, (paper) => {
    drawLetterhead(paper, clinic, { title: 'Recibo', number: shown, lines: [`Fecha: ${spanishDate(receipt.date)}`] });
    drawAmount(paper, receipt);
    const money = (cents: bigint) => formatCents(cents, clinic.currency);
    drawFact(paper, 'Recibido de', receipt.patient);
    drawFact(paper, 'En concepto de', receipt.concept);
    drawFact(paper, 'Forma de pago', METHODS[receipt.method] ?? receipt.method);
    drawFact(paper, 'Saldo pendiente', money(receipt.balance));
    if (receipt.notes) drawFact(paper, 'Notas', receipt.notes);
    drawSignature(paper);
    if (voided) drawVoid(paper, voided.date);
  });
}

function drawAmount(paper: Paper, { amount, clinic }: Receipt): void {
  const width = paper.page.width - 2 * MARGIN;
  const y = paper.y;
  paper.roundedRect(MARGIN, y, width, 54, 6).fillColor('#eef6f6').fill();
  paper
    .font('Helvetica')
    .fontSize(10)
    .fillColor(FAINT)
    .text('Cantidad recibida', MARGIN + 16, y + 21);
  paper.font('Helvetica-Bold').fontSize(20).fillColor(INK);
  paper.text(formatCents(amount, clinic.currency), MARGIN, y + 17, { width: width - 16, align: 'right' });
  paper.x = MARGIN;
  paper.y = y + 74;
}

function drawFact(paper: Paper, label: string, text: string): void {
  paper.font('Helvetica').fontSize(9).fillColor(FAINT).text(label);
  paper.font('Helvetica').fontSize(11).fillColor(INK).text(printable(text));
  paper.moveDown(0.7);
}

function drawSignature(paper: Paper): void {
  const y = paper.y + 60;
  paper
    .moveTo(MARGIN, y)
    .lineTo(MARGIN + 220, y)
    .lineWidth(0.75)
    .strokeColor(RULE)
    .stroke();
  paper
    .font('Helvetica')
    .fontSize(8)
    .fillColor(FAINT)
    .text('Firma y sello', MARGIN, y + 4);
}

function drawVoid(paper: Paper, date: string): void {
  const [x, y] = [paper.page.width / 2, 330];
  paper.save();
  paper.rotate(-24, { origin: [x, y] });
  paper.font('Helvetica-Bold').fontSize(78).fillColor('#c0392b').fillOpacity(0.22);
  paper.text('ANULADO', 0, y - 50, { width: paper.page.width, align: 'center', lineBreak: false });
  paper.fontSize(14).text(`Anulado el ${spanishDate(date)}`, 0, y + 28, { width: paper.page.width, align: 'center', lineBreak: false });
  paper.restore();
}
