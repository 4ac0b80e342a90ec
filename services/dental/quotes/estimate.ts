// The estimate for a patient as a PDF: planned procedures, prices, validity and acceptance.
import { spanishDate } from '@clinic/lib/formats/day-text.ts';
import { formatCents } from '@clinic/lib/formats/money.ts';
import { drawLetterhead, MARGIN } from '@clinic/lib/pdf/letterhead.ts';
import { BOLD, contentWidth, createPdf, drawRule, FAINT, INK, keepTogether, type Pdf, REGULAR, toPdfFile } from '@clinic/lib/pdf/pdf.ts';
import { drawTable } from '@clinic/lib/pdf/table.ts';
import type { ClinicProfile } from '@clinic/proto/identity/v1/profile_pb.js';
import { isPriced, type QuoteLine, sumOf } from './quote-rules.ts';

const UNDEFINED = 'por definir';

export type Estimate = {
  clinic: ClinicProfile;
  patient: string;
  title: string;
  /** Absent when the plan has no quote: the estimate then shows the current plan. */
  quote?: { number: number; validUntil: string };
  /** YYYY-MM-DD. */
  date: string;
  lines: QuoteLine[];
  total: bigint;
  /** `total` is undefined while a procedure has no price. */
  alternatives: { name: string; total: bigint | undefined }[];
  acceptance?: { name: string; date: string; signature: Buffer | undefined };
  /** Why the quote cannot be accepted, in Spanish. */
  obstacle?: string | undefined;
  /** When the content last changed. */
  at: Date;
};

export async function drawEstimate(estimate: Estimate) {
  const { clinic, quote, date } = estimate;
  const name = quote ? `presupuesto-${quote.number}.pdf` : 'presupuesto.pdf';
  const content = await createPdf({ title: `Presupuesto: ${estimate.title}`, patient: estimate.patient, at: estimate.at, margin: MARGIN }, (pdf) => {
    drawLetterhead(pdf, clinic, {
      title: 'Presupuesto',
      ...(quote && { number: String(quote.number) }),
      lines: [`Fecha: ${spanishDate(date)}`, ...(quote ? [`Válido hasta: ${spanishDate(quote.validUntil)}`] : [])],
    });
    drawPatient(pdf, estimate);
    drawLines(pdf, estimate);
    drawAlternatives(pdf, estimate);
    if (!quote) drawNote(pdf, 'Los precios pueden cambiar mientras no haya un presupuesto numerado.');
    else if (estimate.obstacle && !estimate.acceptance) drawNote(pdf, `Este presupuesto no se puede aceptar: ${estimate.obstacle}.`);
    else drawAcceptance(pdf, estimate);
  });
  return toPdfFile(content, name);
}

function drawPatient(pdf: Pdf, { patient, title }: Estimate): void {
  for (const [label, text] of [
    ['Paciente', patient],
    ['Tratamiento', title],
  ] as const) {
    pdf.font(REGULAR).fontSize(9).fillColor(FAINT).text(label);
    pdf.font(BOLD).fontSize(11).fillColor(INK).text(text);
    pdf.moveDown(0.5);
  }
  pdf.moveDown(0.5);
}

function drawLines(pdf: Pdf, { clinic, lines, total }: Estimate): void {
  const money = (cents: bigint) => formatCents(cents, clinic.currency);
  drawTable(
    pdf,
    [
      { title: 'N.º', width: 0.07 },
      { title: 'Procedimiento', width: 0.58 },
      { title: 'Diente', width: 0.13 },
      { title: 'Precio', width: 0.22, align: 'right' },
    ],
    lines.map(({ procedure, tooth, price_cents }, index) => [
      String(index + 1),
      procedure,
      tooth === null ? '' : String(tooth),
      price_cents === null ? UNDEFINED : money(BigInt(price_cents)),
    ]),
  );
  keepTogether(pdf, 70);
  pdf.moveDown(0.6);
  const sum = sumOf(lines);
  if (!isPriced(lines)) {
    drawSum(pdf, 'Suma de los precios definidos', money(sum), 10);
    drawSum(pdf, 'Total', sum === total ? UNDEFINED : money(total), 14);
    return;
  }
  if (sum !== total && lines.length > 0) {
    drawSum(pdf, 'Suma de los procedimientos', money(sum), 10);
    drawSum(pdf, 'Ajuste', money(total - sum), 10);
  }
  drawSum(pdf, 'Total', money(total), 14);
}

function drawNote(pdf: Pdf, text: string): void {
  pdf.moveDown(1).font(REGULAR).fontSize(9).fillColor(FAINT).text(text);
}

function drawSum(pdf: Pdf, label: string, amount: string, size: number): void {
  const width = contentWidth(pdf);
  const y = pdf.y;
  pdf
    .font(size > 10 ? BOLD : REGULAR)
    .fontSize(size)
    .fillColor(INK);
  pdf.text(label, MARGIN, y, { width: width * 0.7, align: 'right' });
  pdf.text(amount, MARGIN + width * 0.7, y, { width: width * 0.3, align: 'right' });
  pdf.x = MARGIN;
  pdf.moveDown(0.3);
}

function drawAlternatives(pdf: Pdf, { clinic, alternatives }: Estimate): void {
  if (alternatives.length === 0) return;
  keepTogether(pdf, 40 + 14 * alternatives.length);
  pdf.moveDown(1);
  pdf.font(BOLD).fontSize(10).fillColor(INK).text('Alternativas');
  pdf.font(REGULAR).fontSize(10).fillColor(FAINT);
  for (const { name, total } of alternatives) pdf.text(`${name}: ${total === undefined ? UNDEFINED : formatCents(total, clinic.currency)}`);
}

const SIGNATURE = { width: 180, height: 60 };

function drawAcceptance(pdf: Pdf, { acceptance }: Estimate): void {
  keepTogether(pdf, 150);
  pdf.moveDown(2);
  pdf.font(REGULAR).fontSize(9).fillColor(FAINT);
  pdf.text('Acepto el tratamiento y los precios de este presupuesto.');
  const top = pdf.y + 8;
  if (acceptance?.signature) pdf.image(acceptance.signature, MARGIN + 10, top, { fit: [SIGNATURE.width, SIGNATURE.height], valign: 'bottom' });
  const y = top + SIGNATURE.height + 4;
  for (const [x, label, text] of [
    [MARGIN, 'Nombre y firma', acceptance?.name ?? ''],
    [MARGIN + 300, 'Fecha', acceptance ? spanishDate(acceptance.date) : ''],
  ] as const) {
    pdf.y = y;
    drawRule(pdf, 0.75, x, 200);
    pdf
      .font(REGULAR)
      .fontSize(8)
      .fillColor(FAINT)
      .text(label, x, y + 4, { width: 200 });
    if (text)
      pdf
        .font(BOLD)
        .fontSize(10)
        .fillColor(INK)
        .text(text, x, y + 15, { width: 200 });
  }
}
