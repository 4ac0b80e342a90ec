// The head of each paper: whose it is and what it is.

import { printable } from '@clinic/lib/formats/printable.ts';
import type { ClinicProfile } from '@clinic/proto/identity/v1/profile_pb.js';
import { ACCENT, FAINT, INK, MARGIN, type Paper, RULE } from './document.ts';

const LOGO = 56;

export type Head = { title: string; number?: string; lines: string[] };

/** Clinic at the left, kind and number of the paper at the right, a rule below. Leaves the pen below the rule. */
export function drawLetterhead(paper: Paper, clinic: ClinicProfile, head: Head): void {
  const width = paper.page.width - 2 * MARGIN;
  const logo = drawLogo(paper, clinic.logo) ? LOGO : 0;
  const left = MARGIN + (logo > 0 ? logo + 14 : 0);
  const half = width * 0.58 - (left - MARGIN);
  paper.font('Helvetica-Bold').fontSize(15).fillColor(INK).text(printable(clinic.name), left, MARGIN, { width: half });
  paper.font('Helvetica').fontSize(9).fillColor(FAINT);
  const where = [clinic.address, clinic.city].filter(Boolean).join(', ');
  for (const line of [where, clinic.phone && `Tel. ${clinic.phone}`]) if (line) paper.text(printable(line), { width: half });
  const clinicEnd = paper.y;

  const right = MARGIN + width * 0.58;
  paper.font('Helvetica-Bold').fontSize(15).fillColor(ACCENT);
  paper.text([head.title, head.number && `N.º ${head.number}`].filter(Boolean).join(' '), right, MARGIN, { width: width * 0.42, align: 'right' });
  paper.font('Helvetica').fontSize(9).fillColor(FAINT);
  for (const line of head.lines) paper.text(printable(line), { width: width * 0.42, align: 'right' });

  const y = Math.max(clinicEnd, paper.y, MARGIN + logo) + 10;
  paper
    .moveTo(MARGIN, y)
    .lineTo(MARGIN + width, y)
    .lineWidth(1)
    .strokeColor(RULE)
    .stroke();
  paper.x = MARGIN;
  paper.y = y + 16;
}

/** A logo that cannot be read is left out: a paper must not fail for it. */
function drawLogo(paper: Paper, logo: Uint8Array): boolean {
  if (logo.length === 0) return false;
  try {
    paper.image(Buffer.from(logo), MARGIN, MARGIN, { fit: [LOGO, LOGO] });
    return true;
  } catch {
    return false;
  }
}
