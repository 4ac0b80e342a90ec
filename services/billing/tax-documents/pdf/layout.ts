// Elements that the parts of a tax document's PDF share.
import { BOLD, contentWidth, FAINT, INK, type Pdf, REGULAR } from '@clinic/lib/pdf/pdf.ts';

/** In points. */
export const MARGIN = 44;

/** With a point for decimals and commas for thousands, as is usual in El Salvador. */
export const money = (amount: number): string => `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

/** A price or quantity with as many decimals as it has, up to 8. */
export const exact = (amount: number, minDecimals: number): string =>
  amount.toLocaleString('en-US', { minimumFractionDigits: minDecimals, maximumFractionDigits: 8 });

export function drawHeading(pdf: Pdf, text: string): void {
  pdf
    .font(BOLD)
    .fontSize(9)
    .fillColor(INK)
    .text(text.toUpperCase(), MARGIN, pdf.y, { width: contentWidth(pdf) });
  pdf.moveDown(0.3);
}

/** A label and its value, on one line if it fits. */
export function drawField(pdf: Pdf, label: string, value: string, width = contentWidth(pdf), x = MARGIN): void {
  pdf.font(REGULAR).fontSize(8).fillColor(FAINT).text(`${label}: `, x, pdf.y, { width, continued: true }).fillColor(INK).text(value);
}
