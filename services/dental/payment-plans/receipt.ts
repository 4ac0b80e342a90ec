// The receipt of a payment as a PDF. The receipt of a voided payment is stamped, because its number is not reused.
import { spanishDate } from '@clinic/lib/formats/day-text.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { formatCents } from '@clinic/lib/formats/money.ts';
import { drawLetterhead, MARGIN } from '@clinic/lib/pdf/letterhead.ts';
import { BOLD, contentWidth, createPdf, drawRule, drawStamp, FAINT, INK, keepTogether, type Pdf, REGULAR, toPdfFile } from '@clinic/lib/pdf/pdf.ts';
import type { ClinicProfile } from '@clinic/proto/identity/v1/profile_pb.js';
import type { PaymentRow } from './payments.sql.ts';

type Receipt = { clinic: ClinicProfile; timezone: string; patient: string; concept: string; payment: PaymentRow };

const METHODS: Record<string, string> = { cash: 'Efectivo', transfer: 'Transferencia', card: 'Tarjeta', other: 'Otro' };

export async function drawReceipt(receipt: Receipt) {
  const { clinic, timezone, payment } = receipt;
  const { paid_at, voided_at } = payment;
  const shown = String(payment.receipt_number).padStart(6, '0');
  const draw = (pdf: Pdf) => {
    drawLetterhead(pdf, clinic, { title: 'Recibo', number: shown, lines: [`Fecha: ${spanishDate(dateIn(timezone, paid_at))}`] });
    drawAmount(pdf, receipt);
    drawFact(pdf, 'Recibido de', receipt.patient);
    drawFact(pdf, 'En concepto de', receipt.concept);
    drawFact(pdf, 'Forma de pago', METHODS[payment.payment_method] ?? payment.payment_method);
    drawFact(pdf, 'Saldo pendiente', formatCents(payment.balance_cents, clinic.currency));
    if (payment.notes) drawFact(pdf, 'Notas', payment.notes);
    drawSignature(pdf);
  };
  const stamp = (pdf: Pdf) => voided_at && drawStamp(pdf, 'ANULADO', `Anulado el ${spanishDate(dateIn(timezone, voided_at))}`);
  return toPdfFile(await createPdf({ title: `Recibo ${shown}`, at: voided_at ?? paid_at, margin: MARGIN }, draw, stamp), `recibo-${shown}.pdf`);
}

function drawAmount(pdf: Pdf, { payment, clinic }: Receipt): void {
  const width = contentWidth(pdf);
  const y = pdf.y;
  pdf.roundedRect(MARGIN, y, width, 54, 6).fillColor('#eef6f6').fill();
  pdf
    .font(REGULAR)
    .fontSize(10)
    .fillColor(FAINT)
    .text('Cantidad recibida', MARGIN + 16, y + 21);
  pdf.font(BOLD).fontSize(20).fillColor(INK);
  pdf.text(formatCents(payment.amount_cents, clinic.currency), MARGIN, y + 17, { width: width - 16, align: 'right' });
  pdf.x = MARGIN;
  pdf.y = y + 74;
}

function drawFact(pdf: Pdf, label: string, text: string): void {
  pdf.font(REGULAR).fontSize(9).fillColor(FAINT).text(label);
  pdf.font(REGULAR).fontSize(11).fillColor(INK).text(text);
  pdf.moveDown(0.7);
}

function drawSignature(pdf: Pdf): void {
  keepTogether(pdf, 80);
  pdf.y += 60;
  drawRule(pdf, 0.75, MARGIN, 220);
  pdf
    .font(REGULAR)
    .fontSize(8)
    .fillColor(FAINT)
    .text('Firma y sello', MARGIN, pdf.y + 4);
}
