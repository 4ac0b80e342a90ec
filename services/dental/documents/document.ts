// A pdf as a PDF: Letter, as the region prints, in the fonts that every reader has. The same input gives the same
// bytes, so that a client that has them need not load them again.
import { createHash } from 'node:crypto';
import { printable } from '@clinic/lib/formats/printable.ts';
import PDFDocument from 'pdfkit';

export const MARGIN = 54;
export const INK = '#1f2933';
export const FAINT = '#66727f';
export const RULE = '#cbd2d9';
export const ACCENT = '#0b6e6e';

export type Pdf = PDFKit.PDFDocument;

/** Draws a pdf and returns the file. `at` is when what it says came to be. */
export async function createPdf(title: string, filename: string, at: Date, draw: (pdf: Pdf) => void) {
  const pdf = new PDFDocument({
    size: 'LETTER',
    margin: MARGIN,
    bufferPages: true,
    lang: 'es',
    info: { Title: printable(title), Producer: 'Clinic Management Service', Creator: 'Clinic Management Service', CreationDate: at, ModDate: at },
  });
  const parts: Buffer[] = [];
  const done = new Promise<void>((resolve, reject) => {
    pdf.on('data', (part: Buffer) => parts.push(part));
    pdf.on('end', resolve);
    pdf.on('error', reject);
  });
  draw(pdf);
  numberPages(pdf);
  pdf.end();
  await done;
  const content = Buffer.concat(parts);
  const etag = createHash('sha256').update(content).digest('base64url').slice(0, 27);
  return { content, contentType: 'application/pdf', filename, etag };
}

function numberPages(pdf: Pdf): void {
  const { count } = pdf.bufferedPageRange();
  if (count < 2) return;
  for (let page = 0; page < count; page++) {
    pdf.switchToPage(page);
    const { bottom } = pdf.page.margins;
    pdf.page.margins.bottom = 0; // else a line in the margin opens another page
    pdf.font('Helvetica').fontSize(8).fillColor(FAINT);
    pdf.text(`Página ${page + 1} de ${count}`, MARGIN, pdf.page.height - 36, { width: pdf.page.width - 2 * MARGIN, align: 'center', lineBreak: false });
    pdf.page.margins.bottom = bottom;
  }
}
