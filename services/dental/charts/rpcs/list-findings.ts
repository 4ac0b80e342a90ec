// The catalogue of findings, the same for every clinic.
import type { App } from '../../app.ts';
import { FINDINGS } from '../rules/findings.ts';

export async function listFindings(_app: App) {
  const findings = FINDINGS.toSorted((a, b) => a.urgency - b.urgency).map(({ code, nameEs, nameEn, colour, extent, urgency, procedure, problem }) => ({
    code,
    nameEs,
    nameEn,
    color: colour,
    extent,
    urgency,
    procedure,
    isProblem: problem,
  }));
  return { findings };
}
