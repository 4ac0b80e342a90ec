// Periodontal exams: validation, indexes and comparison.
import type { Detail } from '@clinic/lib/errors/errors.ts';
import { isTooth, TOOTH_RULE } from '@clinic/lib/formats/teeth.ts';
import { isAnterior, isDeciduous, isUpper } from '../charts/rules/teeth.ts';

export const SITES = ['MV', 'V', 'DV', 'ML', 'L', 'DL'] as const;

export type MeasuredSite = { site: string; depth: number; recession: number; bleeding: boolean; plaque: boolean; suppuration: boolean };
export type MeasuredTooth = { tooth: number; mobility: number; furcation: { side: string; grade: number }[]; sites: MeasuredSite[] };

const within = (value: number, min: number, max: number) => Number.isInteger(value) && value >= min && value <= max;

/** The first invalid field, or undefined. */
export function findFault(teeth: readonly MeasuredTooth[]): Detail | undefined {
  if (teeth.length === 0) return { path: 'teeth', message: 'must not be empty' };
  const seen = new Set<number>();
  for (const [index, measured] of teeth.entries()) {
    const path = `teeth.${index}`;
    if (!isTooth(measured.tooth)) return { path: `${path}.tooth`, message: TOOTH_RULE };
    if (seen.has(measured.tooth)) return { path: `${path}.tooth`, message: 'must be given once' };
    seen.add(measured.tooth);
    const fault = siteFault(measured, path) ?? furcationFault(measured, path);
    if (fault) return fault;
    if (!within(measured.mobility, 0, 3)) return { path: `${path}.mobility`, message: 'must be an integer from 0 to 3' };
  }
  return undefined;
}

function siteFault({ sites }: MeasuredTooth, tooth: string): Detail | undefined {
  const seen = new Set<string>();
  for (const [index, { site, depth, recession }] of sites.entries()) {
    const path = `${tooth}.sites.${index}`;
    if (!(SITES as readonly string[]).includes(site)) return { path: `${path}.site`, message: `must be one of ${SITES.join(', ')}` };
    if (seen.has(site)) return { path: `${path}.site`, message: 'must be given once' };
    seen.add(site);
    if (!within(depth, 0, 15)) return { path: `${path}.depth`, message: 'must be an integer from 0 to 15' };
    if (!within(recession, -10, 15)) return { path: `${path}.recession`, message: 'must be an integer from -10 to 15' };
  }
  return undefined;
}

/** Sides with a furcation: three on upper molars, two on lower molars and on the upper first premolar. */
export function furcationSides(tooth: number): string[] {
  const place = tooth % 10;
  if (isAnterior(tooth)) return [];
  if (isUpper(tooth) && place === 4 && !isDeciduous(tooth)) return ['M', 'D'];
  if (place < 6 && !isDeciduous(tooth)) return [];
  return isUpper(tooth) ? ['V', 'M', 'D'] : ['V', 'L'];
}

function furcationFault({ tooth, furcation }: MeasuredTooth, path: string): Detail | undefined {
  const sides = furcationSides(tooth);
  for (const [index, { side, grade }] of furcation.entries()) {
    const at = `${path}.furcation.${index}`;
    if (!sides.includes(side))
      return { path: `${at}.side`, message: sides.length > 0 ? `must be one of ${sides.join(', ')}` : `tooth ${tooth} has no furcation` };
    if (furcation.some((other, before) => before < index && other.side === side)) return { path: `${at}.side`, message: 'must be given once' };
    if (!within(grade, 1, 3)) return { path: `${at}.grade`, message: 'must be an integer from 1 to 3' };
  }
  return undefined;
}

/** Clinical attachment loss in millimetres. */
const attachmentLoss = ({ depth, recession }: MeasuredSite) => depth + recession;

/** Percentages and means over the measured sites; all 0 when no site was measured. */
export function indexesOf(teeth: readonly MeasuredTooth[]) {
  const sites = teeth.flatMap((one) => one.sites);
  const depthOf = ({ depth }: MeasuredSite) => depth;
  const count = (wanted: (site: MeasuredSite) => boolean) => sites.filter(wanted).length;
  const mean = (value: (site: MeasuredSite) => number) => sites.reduce((sum, site) => sum + value(site), 0) / Math.max(sites.length, 1);
  return {
    bleedingIndex: round(100 * mean(({ bleeding }) => Number(bleeding)), 1),
    plaqueIndex: round(100 * mean(({ plaque }) => Number(plaque)), 1),
    meanDepth: round(mean(depthOf), 2),
    meanAttachmentLoss: round(mean(attachmentLoss), 2),
    sitesMeasured: sites.length,
    sitesFrom4mm: count(({ depth }) => depth >= 4),
    sitesFrom6mm: count(({ depth }) => depth >= 6),
  };
}

export function round(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor + 0; // + 0 turns -0 into 0
}

type Change = { tooth: number; site: string; depthFrom: number; depthTo: number; recessionFrom: number; recessionTo: number };

/** Compares the sites that were measured in both exams. */
export function compareExams(from: readonly MeasuredTooth[], to: readonly MeasuredTooth[]) {
  const before = new Map(from.flatMap(({ tooth, sites }) => sites.map((site) => [`${tooth} ${site.site}`, site])));
  const both = to.flatMap(({ tooth, sites }) =>
    sites.flatMap((now): Change[] => {
      const then = before.get(`${tooth} ${now.site}`);
      return then ? [{ tooth, site: now.site, depthFrom: then.depth, depthTo: now.depth, recessionFrom: then.recession, recessionTo: now.recession }] : [];
    }),
  );
  const depthChange = (change: Change) => change.depthTo - change.depthFrom;
  const lostAttachment = (change: Change) => depthChange(change) + change.recessionTo - change.recessionFrom;
  const mean = (value: (change: Change) => number) => round(both.reduce((sum, change) => sum + value(change), 0) / Math.max(both.length, 1), 2);
  return {
    depthChange: mean(depthChange),
    attachmentChange: mean(lostAttachment),
    improved: both.filter((change) => depthChange(change) < 0).length,
    worsened: both.filter((change) => depthChange(change) > 0).length,
    unchanged: both.filter((change) => depthChange(change) === 0).length,
    changes: both
      .filter((change) => depthChange(change) !== 0 || lostAttachment(change) !== 0)
      .toSorted((a, b) => lostAttachment(b) - lostAttachment(a) || depthChange(b) - depthChange(a) || a.tooth - b.tooth),
  };
}
