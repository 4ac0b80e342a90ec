// What all parts of the paper draw with.
import { printable } from '@clinic/lib/formats/printable.ts';

export type Paper = PDFKit.PDFDocument;

export const MARGIN = 44;
/** Between the margins of a Letter page. */
export const WIDTH = 612 - 2 * MARGIN;
export const INK = '#1f2933';
export const FAINT = '#66727f';
export const RULE = '#cbd2d9';

/** With a point for decimals and commas for thousands, as the country writes. */
export function money(amount: number): string {
  return `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** A price or quantity with as many decimals as it has. */
export const exact = (amount: number, least: number): string => amount.toLocaleString('en-US', { minimumFractionDigits: least, maximumFractionDigits: 8 });

export function heading(paper: Paper, text: string): void {
  paper.font('Helvetica-Bold').fontSize(9).fillColor(INK).text(text.toUpperCase(), MARGIN, paper.y, { width: WIDTH });
  paper.moveDown(0.3);
}

/** A label and what it stands for, on one line as far as there is room. */
export function fact(paper: Paper, label: string, text: string, width = WIDTH, x = MARGIN): void {
  paper.font('Helvetica').fontSize(8).fillColor(FAINT).text(`${label}: `, x, paper.y, { width, continued: true }).fillColor(INK).text(printable(text));
}

/** Opens a new page when less than `height` is left. */
export function keepTogether(paper: Paper, height: number): void {
  if (paper.y + height <= paper.page.height - MARGIN) return;
  paper.addPage();
  paper.y = MARGIN;
}
