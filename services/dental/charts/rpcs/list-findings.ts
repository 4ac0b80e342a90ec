// The catalogue of findings, the same for every clinic.
import type { App } from '../../app.ts';
import { FINDINGS } from '../rules/findings.ts';

export async function listFindings(_app: App) {
  const sorted = FINDINGS.toSorted((a, b) => a.urgency - b.urgency);
  return { findings: sorted.map((finding) => ({ ...finding, color: finding.colour, isProblem: finding.problem })) };
}
