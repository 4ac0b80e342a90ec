// Infers the dentition of a patient, when no user has set it, from the teeth in the chart and the age.
import type { ToothFinding } from './chart.ts';
import { isGone } from './chart.ts';
import { type Dentition, isDeciduous } from './teeth.ts';

// The first permanent molars erupt at about six, the last deciduous teeth are lost at about twelve.
const MIXED_FROM = 6;
const ADULT_FROM = 13;

function dentitionOfAge(years: number): Dentition {
  if (years < MIXED_FROM) return 'child';
  return years < ADULT_FROM ? 'mixed' : 'adult';
}

/** `age` in whole years, undefined when unknown. */
export function inferDentition(findings: readonly ToothFinding[], age: number | undefined): Dentition {
  const present = findings.filter((one) => !isGone(one));
  const deciduous = present.some(({ tooth }) => isDeciduous(tooth));
  const permanent = present.some(({ tooth }) => !isDeciduous(tooth));
  if (deciduous && permanent) return 'mixed';
  const byAge = age === undefined ? undefined : dentitionOfAge(age);
  if (deciduous) return byAge === 'adult' ? 'mixed' : (byAge ?? 'child');
  if (permanent) return byAge === 'child' ? 'mixed' : (byAge ?? 'adult');
  return byAge ?? 'adult';
}

/** Whole years from a birth date (YYYY-MM-DD) to a day. */
export function ageOn(birthDate: string, day: Date): number {
  const [year = 0, month = 1, date = 1] = birthDate.split('-').map(Number);
  const before = day.getUTCMonth() + 1 < month || (day.getUTCMonth() + 1 === month && day.getUTCDate() < date);
  return day.getUTCFullYear() - year - (before ? 1 : 0);
}
