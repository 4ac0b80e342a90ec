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

/** Whole years from a birth date to a day, both YYYY-MM-DD. */
export function ageOn(birthDate: string, day: string): number {
  const isBeforeBirthday = day.slice(5) < birthDate.slice(5);
  return Number(day.slice(0, 4)) - Number(birthDate.slice(0, 4)) - (isBeforeBirthday ? 1 : 0);
}
