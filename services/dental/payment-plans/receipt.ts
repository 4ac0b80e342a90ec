// The receipt of a payment as a PDF. The receipt of a voided payment is stamped, because its number is not reused.

import { spanishDate } from '@clinic/lib/formats/day-text.ts';
import { formatCents } from '@clinic/lib/formats/money.ts';
import { drawLetterhead, MARGIN } from '@clinic/lib/pdf/letterhead.ts';
import { BOLD, contentWidth, createPdf, drawRule, drawStamp, FAINT, INK, type Pdf, REGULAR, toPdfFile } from '@clinic/lib/pdf/pdf.ts';
import type { ClinicProfile } from '@clinic/proto/identity/v1/profile_pb.js';

export type Receipt = {
  clinic: ClinicProfile;
  number: number;
  patient: string;
  concept: string;
  amount: bigint;
  /** Balance of the plan after the payment, in cents. */
  balance: bigint;
  method: string;
  notes: string | null;
  /** YYYY-MM-DD. */
  date: string;
  voided?: { date: string };
  /** When the content last changed. */
  at: Date;
};

const METHODS: Record<string, string> = { cash: 'Efectivo', transfer: 'Transferencia', card: 'Tarjeta', other: 'Otro' };

export async function drawReceipt(receipt: Receipt) {
  const { clinic, number, voided } = receipt;
  const shown = String(number).padStart(6, '0');
  const draw = (pdf: Pdf) => {
    drawLetterhead(pdf, clinic, { title: 'Recibo', number: shown, lines: [`Fecha: ${spanishDate(receipt.date)}`] });
    drawAmount(pdf, receipt);
    const money = (cents: bigint) => formatCents(cents, clinic.currency);
    drawFact(pdf, 'Recibido de', receipt.patient);
    drawFact(pdf, 'En concepto de', receipt.concept);
    drawFact(pdf, 'Forma de pago', METHODS[receipt.method] ?? receipt.method);
    drawFact(pdf, 'Saldo pendiente', money(receipt.balance));
    if (receipt.notes) drawFact(pdf, 'Notas', receipt.notes);
    drawSignature(pdf);
  };
  const stamp = (pdf: Pdf) => voided && drawStamp(pdf, 'ANULADO', `Anulado el ${spanishDate(voided.date)}`);
  return toPdfFile(await createPdf({ title: `Recibo ${shown}`, at: receipt.at, margin: MARGIN }, draw, stamp), `recibo-${shown}.pdf`);
}

function drawAmount(pdf: Pdf, { amount, clinic }: Receipt): void {
  const width = contentWidth(pdf);
  const y = pdf.y;
  pdf.roundedRect(MARGIN, y, width, 54, 6).fillColor('#eef6f6').fill();
  pdf
    .font(REGULAR)
    .fontSize(10)
    .fillColor(FAINT)
    .text('Cantidad recibida', MARGIN + 16, y + 21);
  pdf.font(BOLD).fontSize(20).fillColor(INK);
  pdf.text(formatCents(amount, clinic.currency), MARGIN, y + 17, { width: width - 16, align: 'right' });
  pdf.x = MARGIN;
  pdf.y = y + 74;
}

function drawFact(pdf: Pdf, label: string, text: string): void {
  pdf.font(REGULAR).fontSize(9).fillColor(FAINT).text(label);
  pdf.font(REGULAR).fontSize(11).fillColor(INK).text(text);
  pdf.moveDown(0.7);
}

function drawSignature(pdf: Pdf): void {
  pdf.y += 60;
  drawRule(pdf, 0.75, MARGIN, 220);
  pdf
    .font(REGULAR)
    .fontSize(8)
    .fillColor(FAINT)
    .text('Firma y sello', MARGIN, pdf.y + 4);
}
