// Which findings of a chart a step treats, and the entry by which its completion closes them.
import { remainingTeeth, type ToothFinding } from '../../charts/rules/chart.ts';
import { findingOf } from '../../charts/rules/findings.ts';
import { type Surface, surfacesOf } from '../../charts/rules/teeth.ts';
import type { Untreated } from '../../charts/rules/untreated.ts';

/** The procedure and the place of a step that was generated from a finding; null in steps that users added. No surfaces: the whole tooth. */
export type TreatedPlace = { procedure_code: string | null; tooth: number | null; surfaces: string[] };

const surfacesOn = (tooth: number, surfaces: readonly string[]) => (surfaces.length > 0 ? surfaces : surfacesOf(tooth));

/** Whether one of the steps treats all of the finding. */
export function isPlanned(finding: Untreated, steps: readonly TreatedPlace[]): boolean {
  const firstTeeth = finding.teeth.slice(0, finding.teeth.indexOf(finding.tooth) + 1); // a step retains the tooth that was the first one before it was lost
  return steps.some(
    ({ procedure_code, tooth, surfaces }) =>
      procedure_code === finding.procedure &&
      tooth !== null &&
      firstTeeth.includes(tooth) &&
      surfacesOn(tooth, finding.surfaces).every((surface) => surfacesOn(tooth, surfaces).includes(surface)),
  );
}

/** The entry that closes what a step has treated; undefined when the chart has no such finding. */
export function closingEntry({ procedure_code, tooth, surfaces }: TreatedPlace, findings: readonly ToothFinding[]) {
  if (procedure_code === null || tooth === null) return undefined;
  const places = surfacesOn(tooth, surfaces);
  const open = findings.filter((one) => {
    const type = findingOf(one.finding);
    const isOpen = one.status === 'planned' || (one.status === 'existing' && type?.problem);
    const isHere = one.teeth.includes(tooth) && surfacesOn(tooth, one.surfaces).some((surface) => places.includes(surface));
    return isOpen && isHere && type?.procedure === procedure_code;
  });
  const treated = open.find((one) => one.tooth === tooth) ?? open[0]; // the tooth may be one that a splint has lost
  if (!treated) return undefined;
  // The treatment itself is charted where the catalogue has it, such as a filling in place of caries; otherwise the finding as treated.
  const finding = findingOf(procedure_code)?.settles.includes(treated.finding) ? procedure_code : treated.finding;
  const isSame = finding === treated.finding;
  return {
    finding,
    status: 'treated' as const,
    teeth: isSame ? remainingTeeth(findings, treated) : [tooth],
    pontics: isSame ? findings.filter(({ id, pontic }) => id === treated.id && pontic).map((one) => one.tooth) : [],
    surfaces: findingOf(finding)?.extent === 'surfaces' ? ([...surfaces] as Surface[]) : [],
  };
}
