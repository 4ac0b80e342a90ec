// A table that continues over pages, with its heading on each.
import { BOLD, contentWidth, drawRule, FAINT, INK, type Pdf, REGULAR } from './pdf.ts';

/** `width` is a share of the width between the margins. */
export type Column = { title: string; width: number; align?: 'left' | 'right' };

/** Draws lines of cells below the current position. `fontSize` and `padding` are in points. */
export function drawTable(pdf: Pdf, columns: readonly Column[], lines: string[][], { fontSize = 10, padding = 6 } = {}): void {
  const left = pdf.page.margins.left;
  const titles = columns.map(({ title }) => title);

  const heightOf = (line: string[], font: string) => {
    pdf.font(font).fontSize(fontSize);
    const heights = columns.map(({ width }, index) => pdf.heightOfString(line[index] ?? '', { width: width * contentWidth(pdf) - padding }));
    return Math.max(...heights) + 2 * padding;
  };
  const drawLine = (line: string[], font: string, colour: string) => {
    const [top, height] = [pdf.y, heightOf(line, font)];
    let x = left;
    pdf.font(font).fontSize(fontSize).fillColor(colour);
    for (const [index, { width, align = 'left' }] of columns.entries()) {
      const points = width * contentWidth(pdf);
      pdf.text(line[index] ?? '', align === 'right' ? x + padding : x, top + padding, { width: points - padding, align });
      x += points;
    }
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
