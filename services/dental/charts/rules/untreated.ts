// The findings of a chart that need treatment.
import { remainingTeeth, type ToothFinding } from './chart.ts';
import { type Finding, findingOf } from './findings.ts';
import { surfacesOf } from './teeth.ts';

/** A bridge counts once, however many teeth it has: `tooth` is the first of its remaining teeth. */
export type Untreated = ToothFinding & { remaining: number[]; procedure: string; urgency: number };

/**
 * Findings that need treatment, most urgent first: all planned findings, and all existing problems except those that a planned
 * finding on the same surfaces of the tooth will treat. A planned implant does not extract the tooth or root that it replaces.
 */
export function untreatedFindings(findings: readonly ToothFinding[]): Untreated[] {
  const planned = findings.filter(({ status }) => status === 'planned');
  return findings
    .flatMap((one) => {
      const type = findingOf(one.finding);
      if (!type?.procedure || !isOpen(one, type, planned)) return [];
      const remaining = remainingTeeth(findings, one);
      return one.tooth !== remaining[0] ? [] : [{ ...one, remaining, procedure: type.procedure, urgency: type.urgency }];
    })
    .toSorted((a, b) => a.urgency - b.urgency || a.number - b.number);
}

function isOpen(one: ToothFinding, type: Finding, planned: readonly ToothFinding[]): boolean {
  if (one.status === 'planned') return true;
  if (one.status === 'treated' || !type.problem) return false;
  if (type.procedure === 'extraction') return true;
  return !planned.some((plan) => plan.tooth === one.tooth && findingOf(plan.finding)?.settles.includes(one.finding) && covers(plan, one));
}

function covers(plan: ToothFinding, one: ToothFinding): boolean {
  const wanted = one.surfaces.length > 0 ? one.surfaces : surfacesOf(one.tooth);
  return plan.surfaces.length === 0 || wanted.every((surface) => plan.surfaces.includes(surface));
}
