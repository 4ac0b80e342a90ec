// The dashboard's shapes as a PDF of one page.
import { BOLD, createPdf, type Pdf, REGULAR } from '@clinic/lib/pdf/pdf.ts';
import { type Shape, widthOf } from './shapes.ts';

/** `at` is the date in the file. */
export function toPdf(width: number, height: number, about: { title: string; at: Date }, shapes: Shape[]): Promise<Buffer> {
  return createPdf({ ...about, size: [width, height], margin: 0 }, (pdf) => {
    for (const shape of shapes) draw(pdf, shape);
  });
}

function draw(pdf: Pdf, shape: Shape): void {
  switch (shape.kind) {
    case 'box': {
      const { x, y, width, height, fill, stroke, radius } = shape;
      if (radius) pdf.roundedRect(x, y, width, height, Math.min(radius, width / 2, height / 2));
      else pdf.rect(x, y, width, height);
      paint(pdf, fill, stroke);
      return;
    }
    case 'line':
      trace(pdf, shape.points);
      pdf.lineWidth(shape.width).lineJoin('round').lineCap('round');
      pdf.strokeColor(shape.stroke).stroke();
      return;
    case 'area':
      trace(pdf, shape.points);
      pdf.closePath().fillColor(shape.fill).fill();
      return;
    case 'text': {
      const { x, y, text, size, fill, weight, anchor } = shape;
      pdf
        .font(weight === 'bold' ? BOLD : REGULAR)
        .fontSize(size)
        .fillColor(fill);
      // Text is squeezed to the estimated width for which the page was laid out.
      const actual = pdf.widthOfString(text);
      const width = Math.min(actual, widthOf(text, size, weight));
      const offset = { start: 0, middle: width / 2, end: width }[anchor];
      const options = { lineBreak: false, baseline: 'alphabetic', horizontalScaling: actual > 0 ? (100 * width) / actual : 100 } as const;
      pdf.text(text, x - offset, y, options);
    }
  }
}

function trace(pdf: Pdf, points: [number, number][]): void {
  for (const [index, [x, y]] of points.entries()) {
    if (index === 0) pdf.moveTo(x, y);
    else pdf.lineTo(x, y);
  }
}

function paint(pdf: Pdf, fill: string | undefined, stroke: string | undefined): void {
  if (fill && stroke) pdf.lineWidth(0.75).fillAndStroke(fill, stroke);
  else if (fill) pdf.fillColor(fill).fill();
  else if (stroke) pdf.lineWidth(0.75).strokeColor(stroke).stroke();
}
