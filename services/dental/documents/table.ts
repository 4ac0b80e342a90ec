// A table that goes on over pages, with its heading on each.
import { printable } from '@clinic/lib/formats/printable.ts';
import { FAINT, INK, MARGIN, type Pdf, RULE } from './document.ts';

export type Column = { title: string; width: number; align?: 'left' | 'right' };

const PAD = 6;

/** Draws rows of text below the pen. Widths are shares of the page. */
export function drawTable(pdf: Pdf, columns: Column[], lines: string[][]): void {
  const width = pdf.page.width - 2 * MARGIN;
  const bottom = pdf.page.height - MARGIN;
  const heading = () => {
    drawLine(
      pdf,
      columns,
      columns.map(({ title }) => title),
      'Helvetica-Bold',
      FAINT,
    );
    rule(pdf, width);
  };
  heading();
  for (const line of lines) {
    if (pdf.y + heightOf(pdf, columns, line) > bottom) {
      pdf.addPage();
      heading();
    }
    drawLine(pdf, columns, line, 'Helvetica', INK);
    rule(pdf, width);
  }
}

function rule(pdf: Pdf, width: number): void {
  pdf
    .moveTo(MARGIN, pdf.y)
    .lineTo(MARGIN + width, pdf.y)
    .lineWidth(0.5)
    .strokeColor(RULE)
    .stroke();
}

function heightOf(pdf: Pdf, columns: Column[], line: string[]): number {
  const width = pdf.page.width - 2 * MARGIN;
  pdf.font('Helvetica').fontSize(10);
  const heights = columns.map((column, index) => pdf.heightOfString(printable(line[index] ?? ''), { width: column.width * width - PAD }));
  return Math.max(...heights) + 2 * PAD;
}

function drawLine(pdf: Pdf, columns: Column[], line: string[], font: string, colour: string): void {
  const width = pdf.page.width - 2 * MARGIN;
  const [top, height] = [pdf.y, heightOf(pdf, columns, line)];
  let x = MARGIN;
  pdf.font(font).fontSize(10).fillColor(colour);
  for (const [index, column] of columns.entries()) {
    pdf.text(printable(line[index] ?? ''), x, top + PAD, {
      width: column.width * width - (column.align === 'right' ? 0 : PAD),
      align: column.align ?? 'left',
    });
    x += column.width * width;
  }
  pdf.x = MARGIN;
  pdf.y = top + height;
}

/** Opens a new page when less than `height` is left. */
export function keepTogether(pdf: Pdf, height: number): void {
  if (pdf.y + height > pdf.page.height - MARGIN) pdf.addPage();
}
