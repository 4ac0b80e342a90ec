// A paper as a PDF: Letter, as the region prints, in the fonts that every reader has. The same input gives the same
// bytes, so that a client that has them need not load them again.
import { createHash } from 'node:crypto';
import { printable } from '@clinic/lib/formats/printable.ts';
import PDFDocument from 'pdfkit';

export const MARGIN = 54;
export const INK = '#1f2933';
export const FAINT = '#66727f';
export const RULE = '#cbd2d9';
export const ACCENT = '#0b6e6e';

export type Paper = PDFKit.PDFDocument;

/** Draws a paper and returns the file. `at` is when what it says came to be. */
export async function makePaper(title: string, filename: string, at: Date, draw: (paper: Paper) => void) {
  const paper = new PDFDocument({
    size: 'LETTER',
    margin: MARGIN,
    bufferPages: true,
    lang: 'es',
    info: { Title: printable(title), Producer: 'Clinic Management Service', Creator: 'Clinic Management Service', CreationDate: at, ModDate: at },
  });
  const parts: Buffer[] = [];
  const done = new Promise<void>((resolve, reject) => {
    paper.on('data', (part: Buffer) => parts.push(part));
    paper.on('end', resolve);
    paper.on('error', reject);
  });
  draw(paper);
  numberPages(paper);
  paper.end();
  await done;
  const content = Buffer.concat(parts);
  const etag = createHash('sha256').update(content).digest('base64url').slice(0, 27);
  return { content, contentType: 'application/pdf', filename, etag };
}

function numberPages(paper: Paper): void {
  const { count } = paper.bufferedPageRange();
  if (count < 2) return;
  for (let page = 0; page < count; page++) {
    paper.switchToPage(page);
    const { bottom } = paper.page.margins;
    paper.page.margins.bottom = 0; // else a line in the margin opens another page
    paper.font('Helvetica').fontSize(8).fillColor(FAINT);
    paper.text(`Página ${page + 1} de ${count}`, MARGIN, paper.page.height - 36, { width: paper.page.width - 2 * MARGIN, align: 'center', lineBreak: false });
    paper.page.margins.bottom = bottom;
  }
}
