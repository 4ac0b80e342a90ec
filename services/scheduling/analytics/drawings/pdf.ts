// A page of shapes as PDF, in the fonts that every reader has. The same page gives the same bytes.
import { printable } from '@clinic/lib/formats/printable.ts';
import PDFDocument from 'pdfkit';
import type { Shape } from './scene.ts';

type Paper = PDFKit.PDFDocument;

/** `at` is when what it says came to be. */
export async function toPdf(width: number, height: number, about: { title: string; at: Date }, shapes: Shape[]): Promise<Buffer> {
  const paper = new PDFDocument({
    size: [width, height],
    margin: 0,
    lang: 'es',
    info: {
      Title: printable(about.title),
      Producer: 'Clinic Management Service',
      Creator: 'Clinic Management Service',
      CreationDate: about.at,
      ModDate: about.at,
    },
  });
  const parts: Buffer[] = [];
  const done = new Promise<void>((resolve, reject) => {
    paper.on('data', (part: Buffer) => parts.push(part));
    paper.on('end', resolve);
    paper.on('error', reject);
  });
  for (const shape of shapes) draw(paper, shape);
  paper.end();
  await done;
  return Buffer.concat(parts);
}

function draw(paper: Paper, shape: Shape): void {
  switch (shape.kind) {
    case 'box': {
      const { x, y, width, height, fill, stroke, radius } = shape;
      if (radius) paper.roundedRect(x, y, width, height, Math.min(radius, width / 2, height / 2));
      else paper.rect(x, y, width, height);
      paint(paper, fill, stroke);
      return;
    }
    case 'line':
      trace(paper, shape.points);
      paper.lineWidth(shape.width).lineJoin('round').lineCap('round');
      if (shape.dash) paper.dash(shape.dash, { space: shape.dash });
      paper.strokeColor(shape.stroke).stroke().undash();
      return;
    case 'area':
      trace(paper, shape.points);
      paper.closePath().fillColor(shape.fill).fill();
      return;
    case 'text': {
      const { x, y, size, fill, weight, anchor } = shape;
      const text = printable(shape.text);
      paper
        .font(weight === 'bold' ? 'Helvetica-Bold' : 'Helvetica')
        .fontSize(size)
        .fillColor(fill);
      const width = anchor === 'start' ? 0 : paper.widthOfString(text);
      paper.text(text, x - (anchor === 'middle' ? width / 2 : width), y, { lineBreak: false, baseline: 'alphabetic' });
    }
  }
}

function trace(paper: Paper, points: [number, number][]): void {
  for (const [index, [x, y]] of points.entries()) {
    if (index === 0) paper.moveTo(x, y);
    else paper.lineTo(x, y);
  }
}

function paint(paper: Paper, fill: string | undefined, stroke: string | undefined): void {
  if (fill && stroke) paper.lineWidth(0.75).fillAndStroke(fill, stroke);
  else if (fill) paper.fillColor(fill).fill();
  else if (stroke) paper.lineWidth(0.75).strokeColor(stroke).stroke();
}
