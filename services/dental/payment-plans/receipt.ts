// The receipt of a payment. A voided one says so across the page, since the number stays in the books.

import { printable } from '@clinic/lib/formats/printable.ts';
import type { ClinicProfile } from '@clinic/proto/identity/v1/profile_pb.js';
import { spanishDate } from '../clinics/clinic-date-rules.ts';
import { createPdf, FAINT, INK, MARGIN, type Pdf, RULE } from '../documents/document.ts';
import { drawLetterhead } from '../documents/letterhead.ts';
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
  return createPdf(`Recibo ${shown}`, `recibo-${shown}.pdf`, receipt.at, (pdf) => {
    drawLetterhead(pdf, clinic, { title: 'Recibo', number: shown, lines: [`Fecha: ${spanishDate(receipt.date)}`] });
    drawAmount(pdf, receipt);
    const money = (cents: bigint) => formatCents(cents, clinic.currency);
    drawFact(pdf, 'Recibido de', receipt.patient);
    drawFact(pdf, 'En concepto de', receipt.concept);
    drawFact(pdf, 'Forma de pago', METHODS[receipt.method] ?? receipt.method);
    drawFact(pdf, 'Saldo pendiente', money(receipt.balance));
    if (receipt.notes) drawFact(pdf, 'Notas', receipt.notes);
    drawSignature(pdf);
    if (voided) drawVoid(pdf, voided.date);
  });
}

function drawAmount(pdf: Pdf, { amount, clinic }: Receipt): void {
  const width = pdf.page.width - 2 * MARGIN;
  const y = pdf.y;
  pdf.roundedRect(MARGIN, y, width, 54, 6).fillColor('#eef6f6').fill();
  pdf
    .font('Helvetica')
    .fontSize(10)
    .fillColor(FAINT)
    .text('Cantidad recibida', MARGIN + 16, y + 21);
  pdf.font('Helvetica-Bold').fontSize(20).fillColor(INK);
  pdf.text(formatCents(amount, clinic.currency), MARGIN, y + 17, { width: width - 16, align: 'right' });
  pdf.x = MARGIN;
  pdf.y = y + 74;
}

function drawFact(pdf: Pdf, label: string, text: string): void {
  pdf.font('Helvetica').fontSize(9).fillColor(FAINT).text(label);
  pdf.font('Helvetica').fontSize(11).fillColor(INK).text(printable(text));
  pdf.moveDown(0.7);
}

function drawSignature(pdf: Pdf): void {
  const y = pdf.y + 60;
  pdf
    .moveTo(MARGIN, y)
    .lineTo(MARGIN + 220, y)
    .lineWidth(0.75)
    .strokeColor(RULE)
    .stroke();
  pdf
    .font('Helvetica')
    .fontSize(8)
    .fillColor(FAINT)
    .text('Firma y sello', MARGIN, y + 4);
}

function drawVoid(pdf: Pdf, date: string): void {
  const [x, y] = [pdf.page.width / 2, 330];
  pdf.save();
  pdf.rotate(-24, { origin: [x, y] });
  pdf.font('Helvetica-Bold').fontSize(78).fillColor('#c0392b').fillOpacity(0.22);
  pdf.text('ANULADO', 0, y - 50, { width: pdf.page.width, align: 'center', lineBreak: false });
  pdf.fontSize(14).text(`Anulado el ${spanishDate(date)}`, 0, y + 28, { width: pdf.page.width, align: 'center', lineBreak: false });
  pdf.restore();
}
