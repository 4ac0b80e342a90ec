// A prescription as PDF, to be printed and signed.
import { spanishDate } from '@clinic/lib/formats/day-text.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { drawLetterhead, type Letterhead, MARGIN } from '@clinic/lib/pdf/letterhead.ts';
import { BOLD, contentWidth, createPdf, drawRule, FAINT, INK, keepTogether, type Pdf, REGULAR, toPdfFile } from '@clinic/lib/pdf/pdf.ts';
import type { Item, PrescriptionRow } from './prescriptions.sql.ts';

export async function drawPrescription(clinic: Letterhead, prescription: PrescriptionRow, timezone: string) {
  const { number, created_at: at } = prescription;
  const content = await createPdf({ title: `Receta N.º ${number}`, patient: prescription.patient_name, at, margin: MARGIN }, (pdf) => {
    drawLetterhead(pdf, clinic, { title: 'Receta', number: String(number), lines: [`Fecha: ${spanishDate(dateIn(timezone, at))}`] });
    drawPatient(pdf, prescription);
    for (const [index, item] of prescription.items.entries()) drawItem(pdf, index + 1, item);
    drawAuthor(pdf, prescription);
  });
  return toPdfFile(content, `receta-${number}.pdf`);
}

function drawPatient(pdf: Pdf, { patient_name, patient_birth_date }: PrescriptionRow): void {
  const birth = patient_birth_date && `Fecha de nacimiento: ${spanishDate(patient_birth_date)}`;
  pdf.font(REGULAR).fontSize(9).fillColor(FAINT).text('Paciente');
  pdf.font(BOLD).fontSize(12).fillColor(INK).text(patient_name);
  if (birth) pdf.font(REGULAR).fontSize(9).fillColor(FAINT).text(birth);
  pdf.moveDown(1.5);
}

const INDENT = 22;

function drawItem(pdf: Pdf, position: number, { drug, dose, frequency, duration, notes }: Item): void {
  const width = contentWidth(pdf) - INDENT;
  const lines = [`Dosis: ${dose}`, `Frecuencia: ${frequency}`, `Duración: ${duration}`, ...(notes ? [`Indicaciones: ${notes}`] : [])];
  pdf.font(REGULAR).fontSize(11);
  keepTogether(pdf, 40 + lines.reduce((sum, line) => sum + pdf.heightOfString(line, { width }), pdf.heightOfString(drug, { width })));
  const top = pdf.y;
  pdf.font(BOLD).fillColor(FAINT).text(`${position}.`, MARGIN, top);
  pdf
    .font(BOLD)
    .fontSize(12)
    .fillColor(INK)
    .text(drug, MARGIN + INDENT, top, { width });
  pdf.font(REGULAR).fontSize(11);
  for (const line of lines) pdf.text(line, { width });
  pdf.x = MARGIN;
  pdf.moveDown(1);
}

const BLANK = '____________________';
const SIGNATURE = 240;

/** Leaves a blank line for a licence number that is not known. */
function drawAuthor(pdf: Pdf, { author_name, license_number }: PrescriptionRow): void {
  keepTogether(pdf, 130);
  const x = MARGIN + contentWidth(pdf) - SIGNATURE;
  pdf.y += 70;
  drawRule(pdf, 0.75, x, SIGNATURE);
  pdf.y += 6;
  const centred = { width: SIGNATURE, align: 'center' } as const;
  pdf.font(BOLD).fontSize(10).fillColor(INK).text(author_name, x, pdf.y, centred);
  pdf
    .font(REGULAR)
    .fontSize(9)
    .text(`Licencia profesional N.º ${license_number ?? BLANK}`, x, pdf.y, centred);
  pdf
    .font(REGULAR)
    .fontSize(8)
    .fillColor(FAINT)
    .text('Firma y sello', x, pdf.y + 2, centred);
}
