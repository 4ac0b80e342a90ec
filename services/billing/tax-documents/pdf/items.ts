// What is sold, as a table that goes on over pages with its heading on each.
import { printable } from '@clinic/lib/formats/printable.ts';
import { exact, FAINT, INK, MARGIN, money, type Paper, RULE, WIDTH } from './paper.ts';

type Item = { numItem: number; cantidad: number; descripcion: string; precioUni: number; montoDescu: number; ventaGravada: number };

const COLUMNS = [
  { title: 'N.º', width: 0.06, align: 'left' },
  { title: 'Cantidad', width: 0.11, align: 'right' },
  { title: 'Descripción', width: 0.42, align: 'left' },
  { title: 'Precio unitario', width: 0.15, align: 'right' },
  { title: 'Descuento', width: 0.12, align: 'right' },
  { title: 'Venta gravada', width: 0.14, align: 'right' },
] as const;
const PAD = 4;
const SIZE = 8.5;

export function drawItems(paper: Paper, items: Item[]): void {
  const titles = COLUMNS.map(({ title }) => title);
  drawLine(paper, titles, 'Helvetica-Bold', FAINT);
  for (const { numItem, cantidad, descripcion, precioUni, montoDescu, ventaGravada } of items) {
    const cells = [String(numItem), exact(cantidad, 0), printable(descripcion), `$${exact(precioUni, 2)}`, money(montoDescu), money(ventaGravada)];
    if (paper.y + heightOf(paper, cells) > paper.page.height - MARGIN) {
      paper.addPage();
      paper.y = MARGIN;
      drawLine(paper, titles, 'Helvetica-Bold', FAINT);
    }
    drawLine(paper, cells, 'Helvetica', INK);
  }
  paper.y += 8;
}

function heightOf(paper: Paper, cells: readonly string[]): number {
  paper.font('Helvetica').fontSize(SIZE);
  return Math.max(...COLUMNS.map(({ width }, index) => paper.heightOfString(cells[index] ?? '', { width: width * WIDTH - 2 * PAD }))) + 2 * PAD;
}

function drawLine(paper: Paper, cells: readonly string[], font: string, colour: string): void {
  const [top, height] = [paper.y, heightOf(paper, cells)];
  let x = MARGIN;
  paper.font(font).fontSize(SIZE).fillColor(colour);
  for (const [index, { width, align }] of COLUMNS.entries()) {
    paper.text(cells[index] ?? '', x + PAD, top + PAD, { width: width * WIDTH - 2 * PAD, align });
    x += width * WIDTH;
  }
  paper.y = top + height;
  paper
    .moveTo(MARGIN, paper.y)
    .lineTo(MARGIN + WIDTH, paper.y)
    .lineWidth(0.5)
    .strokeColor(RULE)
    .stroke();
}
