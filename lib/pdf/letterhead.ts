// The head of each document: the clinic, and the document's kind and number.
import { BOLD, contentWidth, drawRule, FAINT, INK, type Pdf, REGULAR } from './pdf.ts';

/** In points. */
export const MARGIN = 54;
const LOGO = 56;
const ACCENT = '#0b6e6e';

/** `logo` is a PNG or JPEG; empty without a logo. */
export type Letterhead = { name: string; address?: string | undefined; city?: string | undefined; phone?: string | undefined; logo: Uint8Array };
export type Head = { title: string; number?: string; lines: string[] };

/** Draws the clinic on the left, kind and number of the document on the right, and a rule below them. The current position is then below the rule. */
export function drawLetterhead(pdf: Pdf, clinic: Letterhead, head: Head): void {
  const width = contentWidth(pdf);
  const logo = drawLogo(pdf, clinic.logo) ? LOGO : 0;
  const left = MARGIN + (logo > 0 ? logo + 14 : 0);
  const half = width * 0.58 - (left - MARGIN);
  pdf.font(BOLD).fontSize(15).fillColor(INK).text(clinic.name, left, MARGIN, { width: half });
  pdf.font(REGULAR).fontSize(9).fillColor(FAINT);
  const where = [clinic.address, clinic.city].filter(Boolean).join(', ');
  for (const line of [where, clinic.phone && `Tel. ${clinic.phone}`]) if (line) pdf.text(line, { width: half });
  const clinicEnd = pdf.y;

  const right = MARGIN + width * 0.58;
  pdf.font(BOLD).fontSize(15).fillColor(ACCENT);
  pdf.text([head.title, head.number && `N.º ${head.number}`].filter(Boolean).join(' '), right, MARGIN, { width: width * 0.42, align: 'right' });
  pdf.font(REGULAR).fontSize(9).fillColor(FAINT);
  for (const line of head.lines) pdf.text(line, { width: width * 0.42, align: 'right' });

  pdf.y = Math.max(clinicEnd, pdf.y, MARGIN + logo) + 10;
  drawRule(pdf, 1);
  pdf.x = MARGIN;
  pdf.y += 16;
}

/** A logo that cannot be decoded is omitted, so that the document can still be created. */
function drawLogo(pdf: Pdf, logo: Uint8Array): boolean {
  if (logo.length === 0) return false;
  try {
    pdf.image(Buffer.from(logo), MARGIN, MARGIN, { fit: [LOGO, LOGO] });
    return true;
  } catch {
    return false;
  }
}
