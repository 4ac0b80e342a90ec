// Builds a chart from its entries: corrected entries are skipped, and each other entry changes the findings of the entries before it.
import { type FindingStatus, findingOf } from './findings.ts';
import { type Dentition, type Surface, surfacesOf } from './teeth.ts';

type Numbered = { id: string; number: number; createdAt: Date };

export type FindingEntry = Numbered & {
  kind: 'finding';
  /** One tooth, or the teeth of a bridge, splint or prosthesis. */
  teeth: readonly number[];
  pontics: readonly number[];
  finding: string;
  status: FindingStatus;
  /** Empty means the whole tooth. */
  surfaces: readonly Surface[];
  notes: string | null;
  replaces: string | null;
};
type VoidEntry = Numbered & { kind: 'void'; replaces: string };
type DentitionEntry = Numbered & { kind: 'dentition'; dentition: Dentition | 'auto'; replaces: string | null };
export type Entry = FindingEntry | VoidEntry | DentitionEntry;

/** A current finding on one tooth. `id` and `number` are those of the entry that recorded it, `surfaces` those that later entries did not replace. */
export type ToothFinding = Omit<FindingEntry, 'kind' | 'pontics' | 'replaces'> & {
  tooth: number;
  /** Whether the tooth is a pontic of a bridge: a replacement without a root. */
  pontic: boolean;
};

export type Chart = {
  /** By tooth, then in the order of the entries. */
  findings: ToothFinding[];
  /** Undefined unless a user set it. */
  dentition: Dentition | undefined;
  updatedAt: Date | undefined;
};

/** Findings that remain when the tooth is lost, because they describe its place. */
const REMAINS_WITHOUT_TOOTH = new Set(['implant', 'bridge', 'prosthesis', 'missing']);

/** Whether the finding means that the tooth is missing. */
export function isGone({ finding, status }: { finding: string; status: FindingStatus }): boolean {
  if (status === 'planned') return false;
  if (finding === 'missing') return true;
  const { procedure } = findingOf(finding) ?? {};
  return status === 'treated' && (procedure === 'extraction' || procedure === 'surgical_extraction');
}

/** The teeth on which the finding of an entry remains, in the order of the entry: a splint does not include teeth that were lost later. */
export const remainingTeeth = (findings: readonly ToothFinding[], { id, teeth }: ToothFinding): number[] =>
  teeth.filter((tooth) => findings.some((one) => one.id === id && one.tooth === tooth));

/** Builds the chart from entries in the order of their numbers. */
export function foldChart(entries: readonly Entry[]): Chart {
  const corrected = new Set(entries.map(({ replaces }) => replaces));
  let findings: ToothFinding[] = [];
  let dentition: Dentition | undefined;
  for (const entry of entries) {
    if (corrected.has(entry.id)) continue;
    if (entry.kind === 'dentition') dentition = entry.dentition === 'auto' ? undefined : entry.dentition;
    if (entry.kind === 'finding') findings = apply(findings, entry);
  }
  return { findings: findings.toSorted((a, b) => a.tooth - b.tooth || a.number - b.number), dentition, updatedAt: entries.at(-1)?.createdAt };
}

function apply(before: ToothFinding[], entry: FindingEntry): ToothFinding[] {
  const { id, number, finding, status, surfaces, teeth, pontics, notes, createdAt } = entry;
  const replaced = replacedSpans(before, entry);
  const remaining = before.flatMap((one) => {
    if (replaced.has(one.id)) return [];
    return teeth.includes(one.tooth) ? remainder(one, entry) : [one];
  });
  const added = teeth.map((tooth) => ({ id, number, tooth, finding, status, surfaces, teeth, pontic: pontics.includes(tooth), notes, createdAt }));
  return [...remaining, ...added];
}

/** Ids of the bridges, splints or prostheses that a new one replaces, on all of their teeth, because it shares a tooth with them. */
function replacedSpans(before: ToothFinding[], { finding, teeth }: FindingEntry): Set<string> {
  if (findingOf(finding)?.extent !== 'span') return new Set();
  return new Set(before.filter((one) => one.finding === finding && teeth.includes(one.tooth)).map(({ id }) => id));
}

/** What remains of an earlier finding after an entry on the same tooth: all of it, some surfaces, or nothing. */
function remainder(one: ToothFinding, entry: FindingEntry): ToothFinding[] {
  if (isGone(entry) && one.finding !== entry.finding && !REMAINS_WITHOUT_TOOTH.has(one.finding)) return [];
  const settled = entry.status !== 'planned' && findingOf(entry.finding)?.settles.includes(one.finding);
  if (one.finding !== entry.finding && !settled) return [one];
  const covered = entry.surfaces.length > 0 ? entry.surfaces : surfacesOf(one.tooth);
  const surfaces = (one.surfaces.length > 0 ? one.surfaces : surfacesOf(one.tooth)).filter((surface) => !covered.includes(surface));
  if (surfaces.length === 0) return [];
  // Only findings on surfaces can be replaced in part; a finding on the whole tooth is retained or removed as a whole.
  return findingOf(one.finding)?.extent === 'surfaces' ? [{ ...one, surfaces }] : settled ? [one] : [];
}
