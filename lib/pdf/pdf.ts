// PDF documents in an embedded font, so that every name prints as it is written. The same input gives the same bytes, so that a client
// does not have to download an unchanged file again.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { createLane } from '../background/lane.ts';
import { etagOf } from '../http/etag.ts';

export type Pdf = PDFKit.PDFDocument;

export const REGULAR = 'regular';
export const BOLD = 'bold';

export const INK = '#1f2933';
export const FAINT = '#66727f';
export const RULE = '#cbd2d9';

const { resolve } = createRequire(import.meta.url);
const read = (file: string) => readFileSync(resolve(`dejavu-fonts-ttf/ttf/${file}`));
// Each document parses the fonts again, which takes about 30 ms: a parsed font retains glyphs of the previous document and would corrupt the text.
const FONTS = { [REGULAR]: read('DejaVuSansCondensed.ttf'), [BOLD]: read('DejaVuSansCondensed-Bold.ttf') };

/** Limits memory: a document blocks the process while it is drawn, and other documents wait before they take any. */
const lane = createLane({ concurrent: 2, waiting: 32 });

export type Layout = {
  title: string;
  /** The patient whom the document is about. */
  patient?: string;
  /** When the content was created: the creation date in the file. */
  at: Date;
  /** In points; default Letter, which is used in the region. */
  size?: [width: number, height: number];
  /** In points. */
  margin: number;
};

/**
 * Draws a document and returns its bytes. When there are several pages, each has its number, the title and the patient. `drawOnPage` then draws over each of them. Throws
 * UNAVAILABLE when too many are waiting.
 */
export async function createPdf(layout: Layout, draw: (pdf: Pdf) => void, drawOnPage?: (pdf: Pdf) => void): Promise<Buffer> {
  const leave = await lane();
  return drawPdf(layout, draw, drawOnPage).finally(leave);
}

async function drawPdf({ title, patient, at, size, margin }: Layout, draw: (pdf: Pdf) => void, drawOnPage?: (pdf: Pdf) => void): Promise<Buffer> {
  const { default: PDFDocument } = await import('pdfkit'); // loaded on first use, since it takes 30 MB
  const name = 'Clinic Management Service';
  const pdf = new PDFDocument({
    size: size ?? 'LETTER',
    margin,
    bufferPages: true,
    lang: 'es',
    font: '', // loads none of the standard fonts
    info: { Title: title, Producer: name, Creator: name, CreationDate: at, ModDate: at },
  });
  for (const [family, font] of Object.entries(FONTS)) pdf.registerFont(family, font);
  const { text, heightOfString } = pdf;
  pdf.text = (words: string, ...rest: never[]) => text.call(pdf, toPrintable(words), ...rest);
  pdf.heightOfString = (words, options) => heightOfString.call(pdf, toPrintable(words), options);
  const content = buffer(pdf);
  draw(pdf);
  finishPages(pdf, patient ? `${title} · ${patient}` : title, drawOnPage);
  pdf.end();
  return content;
}

/** Text without the control and formatting characters for which the fonts have no glyph, and which would print as boxes. Only \n ends a line. */
const toPrintable = (text: string): string =>
  text
    .replaceAll(/\r\n?|[\v\f\u0085]/g, '\n')
    .replaceAll('\t', '    ')
    .replaceAll(/(?!\n)[\p{Cc}\u061c\u180e\u2066-\u2069]/gu, '');

/** A PDF as the file of an RPC's reply. */
export function toPdfFile(content: Buffer, filename: string) {
  return { content, contentType: 'application/pdf', filename, etag: etagOf(content) };
}

function finishPages(pdf: Pdf, name: string, drawOnPage?: (pdf: Pdf) => void): void {
  const { count } = pdf.bufferedPageRange();
  for (let page = 0; page < count; page++) {
    pdf.switchToPage(page);
    const { margins, height } = pdf.page;
    const { bottom } = margins;
    margins.bottom = 0; // otherwise a line in the margin would add a page
    if (count > 1) {
      pdf.font(REGULAR).fontSize(8).fillColor(FAINT);
      const line = { width: contentWidth(pdf), align: 'center', height: 10, ellipsis: true } as const;
      pdf.text(name, margins.left, height - 47, line);
      pdf.text(`Página ${page + 1} de ${count}`, margins.left, height - 36, line);
    }
    drawOnPage?.(pdf);
    margins.bottom = bottom;
  }
}

/** Points between the left and the right margin. */
export function contentWidth({ page }: Pdf): number {
  return page.width - page.margins.left - page.margins.right;
}

/** Starts a new page when less than `height` points are left on this one. */
export function keepTogether(pdf: Pdf, height: number): void {
  if (pdf.y + height > pdf.page.height - pdf.page.margins.bottom) pdf.addPage();
}

/** A horizontal rule at the current position; from margin to margin unless `x` and `width` are given. */
export function drawRule(pdf: Pdf, thickness = 0.5, x = pdf.page.margins.left, width = contentWidth(pdf)): void {
  pdf
    .moveTo(x, pdf.y)
    .lineTo(x + width, pdf.y)
    .lineWidth(thickness)
    .strokeColor(RULE)
    .stroke();
}

/** Red translucent words across the page, such as INVALIDADO, with a smaller note below them. */
export function drawStamp(pdf: Pdf, words: string, note?: string): void {
  const { width, height } = pdf.page;
  const y = height / 2;
  const centred = { width, align: 'center', lineBreak: false } as const;
  pdf.save();
  pdf.rotate(-30, { origin: [width / 2, y] });
  pdf.font(BOLD).fontSize(80).fillColor('#c0392b').fillOpacity(0.16);
  pdf.text(words, 0, y - 50, centred);
  if (note) pdf.fontSize(14).text(note, 0, y + 46, centred);
  pdf.restore();
}
