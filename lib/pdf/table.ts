// A table that can span several pages, with its heading on each page.
import { BOLD, contentWidth, drawRule, FAINT, INK, type Pdf, REGULAR } from './pdf.ts';

/** `width` is a share of the width between the margins. */
export type Column = { title: string; width: number; align?: 'left' | 'right' };

/** Draws lines of cells below the current position. `fontSize` and `padding` are in points. */
export function drawTable(pdf: Pdf, columns: readonly Column[], lines: string[][], { fontSize = 10, padding = 6 } = {}): void {
  const left = pdf.page.margins.left;
  const titles = columns.map(({ title }) => title);
  let end = left;
  const boxes = columns.map((column, index) => {
    const start = end;
    end += column.width * contentWidth(pdf);
    // The outer edges of the table are aligned with the margins.
    const x = index === 0 ? start : start + padding;
    return { x, width: (index === columns.length - 1 ? end : end - padding) - x, align: column.align ?? 'left' };
  });

  const heightOf = (line: string[], font: string) => {
    pdf.font(font).fontSize(fontSize);
    return Math.max(...boxes.map(({ width }, index) => pdf.heightOfString(line[index] ?? '', { width }))) + 2 * padding;
  };
  const drawLine = (line: string[], font: string, colour: string) => {
    const [top, height] = [pdf.y, heightOf(line, font)];
    pdf.font(font).fontSize(fontSize).fillColor(colour);
    for (const [index, { x, width, align }] of boxes.entries()) pdf.text(line[index] ?? '', x, top + padding, { width, align });
    pdf.x = left;
    pdf.y = top + height;
    drawRule(pdf);
  };

  drawLine(titles, BOLD, FAINT);
  for (const line of lines) {
    if (pdf.y + heightOf(line, REGULAR) > pdf.page.height - pdf.page.margins.bottom) {
      pdf.addPage();
      drawLine(titles, BOLD, FAINT);
    }
    drawLine(line, REGULAR, INK);
  }
}
