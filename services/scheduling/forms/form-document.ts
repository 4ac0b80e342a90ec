// A form as PDF: the text, the questions with their answers, the signature. An open form is printed with space to fill and sign it by hand.
import { spanishDate } from '@clinic/lib/formats/day-text.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { drawLetterhead, type Letterhead, MARGIN } from '@clinic/lib/pdf/letterhead.ts';
import { BOLD, contentWidth, createPdf, drawRule, FAINT, INK, keepTogether, type Pdf, REGULAR, toPdfFile } from '@clinic/lib/pdf/pdf.ts';
import { signaturePng } from '@clinic/lib/pdf/signature.ts';
import { type Field, TYPED } from './form-rules.ts';
import type { FormRow } from './forms.sql.ts';

const SIGNATURE = { width: 200, height: 70 };

export async function drawForm(clinic: Letterhead, form: FormRow, timezone: string) {
  const content = await createPdf({ title: form.title, patient: form.patient_name, at: form.signed_at ?? form.updated_at, margin: MARGIN }, (pdf) => {
    drawLetterhead(pdf, clinic, { title: form.title, lines: [`Paciente: ${form.patient_name}`, ...dateLine(form, timezone)] });
    if (form.text) pdf.font(REGULAR).fontSize(10).fillColor(INK).text(form.text, { lineGap: 2 }).moveDown(1);
    for (const [index, field] of form.fields.entries()) drawField(pdf, field, form.answers[index] ?? '', form);
    if (form.signed_at) drawProof(pdf, form);
  });
  return toPdfFile(content, `formulario-${form.id}.pdf`);
}

const dateLine = ({ signed_at }: FormRow, timezone: string) => (signed_at ? [`Firmado el ${spanishDate(dateIn(timezone, signed_at))}`] : []);

function drawField(pdf: Pdf, field: Field, answer: string, form: FormRow): void {
  const hasSignature = field.kind === 'signature' && (answer !== '' || !form.signed_at);
  keepTogether(pdf, hasSignature ? SIGNATURE.height + 60 : 48);
  pdf.font(REGULAR).fontSize(9).fillColor(FAINT).text(field.label);
  if (hasSignature) drawSignature(pdf, answer, form);
  else if (form.signed_at || answer) pdf.font(BOLD).fontSize(10.5).fillColor(INK).text(toWords(field, answer));
  else drawBlank(pdf, field);
  pdf.moveDown(0.7);
}

function toWords({ kind }: Field, answer: string): string {
  if (!answer) return 'Sin respuesta';
  if (kind === 'yes_no') return answer === 'yes' ? 'Sí' : 'No';
  return kind === 'date' ? spanishDate(answer) : answer;
}

function drawBlank(pdf: Pdf, { kind, options }: Field): void {
  const choices = kind === 'yes_no' ? ['Sí', 'No'] : options;
  if (choices.length > 0)
    pdf
      .font(REGULAR)
      .fontSize(10.5)
      .fillColor(INK)
      .text(choices.map((choice) => `☐ ${choice}`).join('     '));
  else drawLine(pdf, contentWidth(pdf));
}

function drawLine(pdf: Pdf, width: number): void {
  pdf.y += 18;
  drawRule(pdf, 0.75, MARGIN, width);
  pdf.y += 4;
}

function drawSignature(pdf: Pdf, answer: string, { signer_name }: FormRow): void {
  const top = pdf.y + 4;
  const png = answer && answer !== TYPED ? signaturePng(answer) : undefined;
  if (png) pdf.image(png, MARGIN, top, { fit: [SIGNATURE.width, SIGNATURE.height], valign: 'bottom' });
  pdf.y = top + SIGNATURE.height;
  drawRule(pdf, 0.75, MARGIN, SIGNATURE.width + 40);
  pdf.y += 4;
  const note = answer === TYPED ? ' (firma con su nombre escrito)' : '';
  pdf
    .font(REGULAR)
    .fontSize(9)
    .fillColor(INK)
    .text(signer_name ? `${signer_name}${note}` : 'Nombre y firma', MARGIN, pdf.y);
}

function drawProof(pdf: Pdf, { signer_name, signed_at, template_version, hash, id }: FormRow): void {
  keepTogether(pdf, 60);
  pdf.moveDown(1);
  drawRule(pdf);
  pdf.y += 6;
  pdf.font(REGULAR).fontSize(7.5).fillColor(FAINT);
  pdf.text(`Firmado electrónicamente por ${signer_name} el ${signed_at?.toISOString()}. Formulario ${id}, versión ${template_version}.`, MARGIN, pdf.y);
  pdf.text(`SHA-256: ${hash?.toString('hex')}`);
}
