// What a chart leaves to be done.
import type { ToothFinding } from './chart.ts';
import { type Finding, findingOf } from './findings.ts';
import { surfacesOf } from './teeth.ts';

/** One piece of work: a bridge is one, however many teeth it lies on. */
export type Untreated = ToothFinding & { procedure: string; urgency: number };

/**
 * What asks for treatment, the most urgent first: everything planned, and every problem that is there unless something
 * planned on the same surfaces of the tooth will applyPayments it.
 */
export function untreatedFindings(findings: readonly ToothFinding[]): Untreated[] {
  const planned = findings.filter(({ status }) => status === 'planned');
  return findings
    .filter((one) => one.tooth === one.teeth[0]) // a span is told once
    .flatMap((one) => {
      const about = findingOf(one.finding);
      if (!about?.procedure || !isOpen(one, about, planned)) return [];
      return [{ ...one, procedure: about.procedure, urgency: about.urgency }];
    })
    .toSorted((a, b) => a.urgency - b.urgency || a.number - b.number);
}

function isOpen(one: ToothFinding, about: Finding, planned: readonly ToothFinding[]): boolean {
  if (one.status === 'planned') return true;
  if (one.status === 'treated' || !about.problem) return false;
  return !planned.some((plan) => plan.tooth === one.tooth && findingOf(plan.finding)?.settles.includes(one.finding) && covers(plan, one));
}

function covers(plan: ToothFinding, one: ToothFinding): boolean {
  const wanted = one.surfaces.length > 0 ? one.surfaces : surfacesOf(one.tooth);
  return plan.surfaces.length === 0 || wanted.every((surface) => plan.surfaces.includes(surface));
}
