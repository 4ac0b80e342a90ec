// A chart is what its entries come to: corrected entries count no longer, and each of the others changes what was there.
import { type FindingStatus, findingOf } from './findings.ts';
import { type Dentition, type Surface, surfacesOf } from './teeth.ts';

export type FindingEntry = {
  kind: 'finding';
  id: string;
  number: number;
  /** One, or the teeth of a bridge or prosthesis. */
  teeth: readonly number[];
  pontics: readonly number[];
  finding: string;
  status: FindingStatus;
  /** Empty: the whole tooth. */
  surfaces: readonly Surface[];
  notes: string | null;
  replaces: string | null;
  createdAt: Date;
};
export type VoidEntry = { kind: 'void'; id: string; number: number; replaces: string; createdAt: Date };
export type DentitionEntry = { kind: 'dentition'; id: string; number: number; dentition: Dentition | 'auto'; replaces: string | null; createdAt: Date };
export type Entry = FindingEntry | VoidEntry | DentitionEntry;

/** A finding as it stands on one tooth. */
export type ToothFinding = {
  /** Of the entry that charted it. */
  id: string;
  number: number;
  tooth: number;
  finding: string;
  status: FindingStatus;
  /** What is left of it; empty means the whole tooth. */
  surfaces: readonly Surface[];
  /** All teeth that it lies on. */
  teeth: readonly number[];
  /** Hangs here in a bridge, without a root. */
  pontic: boolean;
  notes: string | null;
  createdAt: Date;
};

export type Chart = {
  /** By tooth, in the order of charting. */
  findings: ToothFinding[];
  /** As it was set by hand. */
  dentition: Dentition | undefined;
  updatedAt: Date | undefined;
};

/** Stays when a tooth goes: it stands where the tooth stood. */
const OUTLASTS_TOOTH = new Set(['implant', 'bridge', 'prosthesis', 'missing']);

/** Whether it says that the tooth is gone. */
export function isGone({ finding, status }: { finding: string; status: FindingStatus }): boolean {
  if (status === 'planned') return false;
  if (finding === 'missing') return true;
  const { procedure } = findingOf(finding) ?? {};
  return status === 'treated' && (procedure === 'extraction' || procedure === 'surgical_extraction');
}

/** Folds entries, which come in the order of their numbers. */
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
  const ended = endedSpans(before, entry);
  const kept = before.flatMap((one) => {
    if (ended.has(one.id)) return [];
    return teeth.includes(one.tooth) ? remainder(one, entry) : [one];
  });
  const added = teeth.map((tooth) => ({ id, number, tooth, finding, status, surfaces, teeth, pontic: pontics.includes(tooth), notes, createdAt }));
  return [...kept, ...added];
}

/** A new bridge over a tooth ends the old one on all of its teeth. */
function endedSpans(before: ToothFinding[], { finding, teeth }: FindingEntry): Set<string> {
  if (findingOf(finding)?.extent !== 'span') return new Set();
  return new Set(before.filter((one) => one.finding === finding && teeth.includes(one.tooth)).map(({ id }) => id));
}

/** What an entry on the same tooth leaves of an earlier finding: all, some surfaces, or nothing. */
function remainder(one: ToothFinding, entry: FindingEntry): ToothFinding[] {
  if (isGone(entry) && one.finding !== entry.finding && !OUTLASTS_TOOTH.has(one.finding)) return [];
  const settled = entry.status !== 'planned' && findingOf(entry.finding)?.settles.includes(one.finding);
  if (one.finding !== entry.finding && !settled) return [one];
  const covered = entry.surfaces.length > 0 ? entry.surfaces : surfacesOf(one.tooth);
  const surfaces = (one.surfaces.length > 0 ? one.surfaces : surfacesOf(one.tooth)).filter((surface) => !covered.includes(surface));
  if (surfaces.length === 0) return [];
  // Only findings of surfaces can be covered in part; what is about the whole tooth stays whole or goes.
  return findingOf(one.finding)?.extent === 'surfaces' ? [{ ...one, surfaces }] : settled ? [one] : [];
}
