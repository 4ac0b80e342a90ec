// Validates the teeth of a new finding: their numbers, their surfaces, and that they are in one row.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { isTooth, parseTooth } from '@clinic/lib/formats/teeth.ts';
import type { ToothFinding } from './rules/chart.ts';
import { isGone } from './rules/chart.ts';
import { type Finding, findingOf } from './rules/findings.ts';
import { type Surface, span, surfaceOf, surfacesOf } from './rules/teeth.ts';

type NewFinding = { finding: string; teeth: number[]; surfaces: Surface[] };

/** The finding with its teeth in the order of the row and its surfaces in canonical letters. */
export function parseFinding(input: { tooth: number; surfaces: readonly string[]; finding: string; teeth: readonly number[] }): NewFinding {
  const { finding } = input;
  const tooth = parseTooth('tooth', input.tooth);
  const type = findingOf(finding) ?? invalid('finding', 'must be a code of GET /api/dental/findings');
  return { finding, teeth: parseTeeth(tooth, input.teeth, type), surfaces: parseSurfaces(tooth, input.surfaces, type) };
}

function parseTeeth(tooth: number, teeth: readonly number[], type: Finding): number[] {
  if (teeth.length === 0) return [tooth];
  if (type.extent !== 'span') invalid('teeth', `must be absent: ${type.code} is on one tooth`);
  if (!teeth.includes(tooth)) invalid('teeth', 'must include the tooth');
  const row = (teeth.every(isTooth) ? widestSpan(teeth) : undefined) ?? invalid('teeth', 'must be FDI numbers of one arch');
  // A bridge and a splint include every tooth between their ends; a removable prosthesis may skip teeth.
  return type.code === 'prosthesis' ? row.filter((one) => teeth.includes(one)) : row;
}

/** All teeth between the outermost two, in the order of the row; undefined unless they are in one row. */
function widestSpan(teeth: readonly number[]): number[] | undefined {
  const spans = teeth.flatMap((first) => teeth.map((last) => span(first, last)));
  return spans.includes(undefined) ? undefined : spans.reduce((widest, one) => ((one?.length ?? 0) > (widest?.length ?? 0) ? one : widest));
}

function parseSurfaces(tooth: number, letters: readonly string[], type: Finding): Surface[] {
  if (letters.length > 0 && type.extent !== 'surfaces') invalid('surfaces', `must be absent: ${type.code} concerns the whole tooth`);
  const surfaces = letters.map((letter) => surfaceOf(tooth, letter) ?? invalid('surfaces', `tooth ${tooth} has the surfaces ${surfacesOf(tooth).join(', ')}`));
  return surfacesOf(tooth).filter((surface) => surfaces.includes(surface));
}

/** The pontics of a bridge: the given teeth, otherwise its missing teeth, otherwise all teeth between its ends. */
export function parsePontics({ finding, teeth }: NewFinding, given: readonly number[], chart: readonly ToothFinding[]): number[] {
  if (finding !== 'bridge') return given.length === 0 ? [] : invalid('pontics', 'must be absent: only a bridge has pontics');
  if (!given.every((tooth) => teeth.includes(tooth))) invalid('pontics', 'must be teeth of the bridge');
  if (given.length > 0) return teeth.filter((tooth) => given.includes(tooth));
  const missing = teeth.filter((tooth) => chart.some((one) => one.tooth === tooth && isGone(one)));
  return missing.length > 0 ? missing : teeth.slice(1, -1);
}
