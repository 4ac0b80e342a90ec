// The head of each pdf: whose it is and what it is.

import { printable } from '@clinic/lib/formats/printable.ts';
import type { ClinicProfile } from '@clinic/proto/identity/v1/profile_pb.js';
import { ACCENT, FAINT, INK, MARGIN, type Pdf, RULE } from './document.ts';

const LOGO = 56;

export type Head = { title: string; number?: string; lines: string[] };

/** Clinic at the left, kind and number of the pdf at the right, a rule below. Leaves the pen below the rule. */
export function drawLetterhead(pdf: Pdf, clinic: ClinicProfile, head: Head): void {
  const width = pdf.page.width - 2 * MARGIN;
  const logo = drawLogo(pdf, clinic.logo) ? LOGO : 0;
  const left = MARGIN + (logo > 0 ? logo + 14 : 0);
  const half = width * 0.58 - (left - MARGIN);
  pdf.font('Helvetica-Bold').fontSize(15).fillColor(INK).text(printable(clinic.name), left, MARGIN, { width: half });
  pdf.font('Helvetica').fontSize(9).fillColor(FAINT);
  const where = [clinic.address, clinic.city].filter(Boolean).join(', ');
  for (const line of [where, clinic.phone && `Tel. ${clinic.phone}`]) if (line) pdf.text(printable(line), { width: half });
  const clinicEnd = pdf.y;

  const right = MARGIN + width * 0.58;
  pdf.font('Helvetica-Bold').fontSize(15).fillColor(ACCENT);
  pdf.text([head.title, head.number && `N.º ${head.number}`].filter(Boolean).join(' '), right, MARGIN, { width: width * 0.42, align: 'right' });
  pdf.font('Helvetica').fontSize(9).fillColor(FAINT);
  for (const line of head.lines) pdf.text(printable(line), { width: width * 0.42, align: 'right' });

  const y = Math.max(clinicEnd, pdf.y, MARGIN + logo) + 10;
  pdf
    .moveTo(MARGIN, y)
    .lineTo(MARGIN + width, y)
    .lineWidth(1)
    .strokeColor(RULE)
    .stroke();
  pdf.x = MARGIN;
  pdf.y = y + 16;
}

/** A logo that cannot be read is left out: a pdf must not fail for it. */
function drawLogo(pdf: Pdf, logo: Uint8Array): boolean {
  if (logo.length === 0) return false;
  try {
    pdf.image(Buffer.from(logo), MARGIN, MARGIN, { fit: [LOGO, LOGO] });
    return true;
  } catch {
    return false;
  }
}
