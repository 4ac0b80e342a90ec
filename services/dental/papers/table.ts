// A table that goes on over pages, with its heading on each.
import { printable } from '@clinic/lib/formats/printable.ts';
import { FAINT, INK, MARGIN, type Paper, RULE } from './document.ts';

export type Column = { title: string; width: number; align?: 'left' | 'right' };

const PAD = 6;

/** Draws rows of text below the pen. Widths are shares of the page. */
export function drawTable(paper: Paper, columns: Column[], lines: string[][]): void {
  const width = paper.page.width - 2 * MARGIN;
  const bottom = paper.page.height - MARGIN;
  const heading = () => {
    drawLine(
      paper,
      columns,
      columns.map(({ title }) => title),
      'Helvetica-Bold',
      FAINT,
    );
    rule(paper, width);
  };
  heading();
  for (const line of lines) {
    if (paper.y + heightOf(paper, columns, line) > bottom) {
      paper.addPage();
      heading();
    }
    drawLine(paper, columns, line, 'Helvetica', INK);
    rule(paper, width);
  }
}

function rule(paper: Paper, width: number): void {
  paper
    .moveTo(MARGIN, paper.y)
    .lineTo(MARGIN + width, paper.y)
    .lineWidth(0.5)
    .strokeColor(RULE)
    .stroke();
}

function heightOf(paper: Paper, columns: Column[], line: string[]): number {
  const width = paper.page.width - 2 * MARGIN;
  paper.font('Helvetica').fontSize(10);
  const heights = columns.map((column, index) => paper.heightOfString(printable(line[index] ?? ''), { width: column.width * width - PAD }));
  return Math.max(...heights) + 2 * PAD;
}

function drawLine(paper: Paper, columns: Column[], line: string[], font: string, colour: string): void {
  const width = paper.page.width - 2 * MARGIN;
  const [top, height] = [paper.y, heightOf(paper, columns, line)];
  let x = MARGIN;
  paper.font(font).fontSize(10).fillColor(colour);
  for (const [index, column] of columns.entries()) {
    paper.text(printable(line[index] ?? ''), x, top + PAD, {
      width: column.width * width - (column.align === 'right' ? 0 : PAD),
      align: column.align ?? 'left',
    });
    x += column.width * width;
  }
  paper.x = MARGIN;
  paper.y = top + height;
}

/** Opens a new page when less than `height` is left. */
export function keepTogether(paper: Paper, height: number): void {
  if (paper.y + height > paper.page.height - MARGIN) paper.addPage();
}
