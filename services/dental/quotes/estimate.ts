// The estimate that a patient takes home: what is planned, for how much, until when, and the patient's yes.

import { printable } from '@clinic/lib/formats/printable.ts';
import type { ClinicProfile } from '@clinic/proto/identity/v1/profile_pb.js';
import { spanishDate } from '../clinics/local-date-rules.ts';
import { FAINT, INK, MARGIN, makePaper, type Paper, RULE } from '../papers/document.ts';
import { drawLetterhead } from '../papers/letterhead.ts';
import { drawTable, keepTogether } from '../papers/table.ts';
import { formatCents } from '../prices/money-rules.ts';
import type { QuoteLine } from './quote-rules.ts';

export type Estimate = {
  clinic: ClinicProfile;
  patient: string;
  title: string;
  /** Absent when it was not quoted: then it shows the plan as it is. */
  quote?: { number: number; validUntil: string };
  /** YYYY-MM-DD. */
  date: string;
  lines: QuoteLine[];
  total: bigint;
  alternatives: { name: string; total: bigint }[];
  acceptance?: { name: string; date: string; signature: Buffer | undefined };
  /** When what it says came to be. */
  at: Date;
};

export function drawEstimate(estimate: Estimate) {
  const { clinic, quote, date } = estimate;
  const name = quote ? `presupuesto-${quote.number}.pdf` : 'presupuesto.pdf';
  return makePaper(`Presupuesto: ${estimate.title}`, name, estimate.at, (paper) => {
    drawLetterhead(paper, clinic, {
      title: 'Presupuesto',
      ...(quote && { number: String(quote.number) }),
      lines: [`Fecha: ${spanishDate(date)}`, ...(quote ? [`Válido hasta: ${spanishDate(quote.validUntil)}`] : [])],
    });
    drawWhom(paper, estimate);
    drawLines(paper, estimate);
    drawAlternatives(paper, estimate);
    if (quote) drawAcceptance(paper, estimate);
    else paper.moveDown(1).font('Helvetica').fontSize(9).fillColor(FAINT).text('Los precios pueden cambiar mientras no haya un presupuesto numerado.');
  });
}

function drawWhom(paper: Paper, { patient, title }: Estimate): void {
  for (const [label, text] of [
    ['Paciente', patient],
    ['Tratamiento', title],
  ] as const) {
    paper.font('Helvetica').fontSize(9).fillColor(FAINT).text(label);
    paper.font('Helvetica-Bold').fontSize(11).fillColor(INK).text(printable(text));
    paper.moveDown(0.5);
  }
  paper.moveDown(0.5);
}

function drawLines(paper: Paper, { clinic, lines, total }: Estimate): void {
  const money = (cents: bigint) => formatCents(cents, clinic.currency);
  const sum = BigInt(lines.reduce((all, { price_cents }) => all + (price_cents ?? 0), 0));
  drawTable(
    paper,
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
      price_cents === null ? 'por definir' : money(BigInt(price_cents)),
    ]),
  );
  keepTogether(paper, 70);
  paper.moveDown(0.6);
  if (sum !== total) {
    drawSum(paper, 'Subtotal', money(sum), 10);
    drawSum(paper, 'Ajuste', money(total - sum), 10);
  }
  drawSum(paper, 'Total', money(total), 14);
}

function drawSum(paper: Paper, label: string, amount: string, size: number): void {
  const width = paper.page.width - 2 * MARGIN;
  const y = paper.y;
  paper
    .font(size > 10 ? 'Helvetica-Bold' : 'Helvetica')
    .fontSize(size)
    .fillColor(INK);
  paper.text(label, MARGIN, y, { width: width * 0.7, align: 'right' });
  paper.text(amount, MARGIN + width * 0.7, y, { width: width * 0.3, align: 'right' });
  paper.x = MARGIN;
  paper.moveDown(0.3);
}

function drawAlternatives(paper: Paper, { clinic, alternatives }: Estimate): void {
  if (alternatives.length === 0) return;
  keepTogether(paper, 40 + 14 * alternatives.length);
  paper.moveDown(1);
  paper.font('Helvetica-Bold').fontSize(10).fillColor(INK).text('Alternativas');
  paper.font('Helvetica').fontSize(10).fillColor(FAINT);
  for (const { name, total } of alternatives) paper.text(printable(`${name}: ${formatCents(total, clinic.currency)}`));
}

const SIGNATURE = { width: 180, height: 60 };

function drawAcceptance(paper: Paper, { acceptance }: Estimate): void {
  keepTogether(paper, 150);
  paper.moveDown(2);
  paper.font('Helvetica').fontSize(9).fillColor(FAINT);
  paper.text('Acepto el tratamiento y los precios de este presupuesto.');
  const top = paper.y + 8;
  if (acceptance?.signature) paper.image(acceptance.signature, MARGIN + 10, top, { fit: [SIGNATURE.width, SIGNATURE.height], valign: 'bottom' });
  const y = top + SIGNATURE.height + 4;
  for (const [x, label, text] of [
    [MARGIN, 'Nombre y firma', acceptance?.name ?? ''],
    [MARGIN + 300, 'Fecha', acceptance ? spanishDate(acceptance.date) : ''],
  ] as const) {
    paper
      .moveTo(x, y)
      .lineTo(x + 200, y)
      .lineWidth(0.75)
      .strokeColor(RULE)
      .stroke();
    paper
      .font('Helvetica')
      .fontSize(8)
      .fillColor(FAINT)
      .text(label, x, y + 4, { width: 200 });
    if (text)
      paper
        .font('Helvetica-Bold')
        .fontSize(10)
        .fillColor(INK)
        .text(printable(text), x, y + 15, { width: 200 });
  }
}
