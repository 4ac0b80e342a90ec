// What somebody charts, checked against the teeth: which there are, which surfaces they have, which stand in one row.
import type { ToothFinding } from './rules/chart.ts';
import { isGone } from './rules/chart.ts';
import { type Finding, findingOf } from './rules/findings.ts';
import { isTooth, type Surface, span, surfaceOf, surfacesOf } from './rules/teeth.ts';

export type Fault = { path: string; message: string };
export type NewFinding = { finding: string; teeth: number[]; surfaces: Surface[] };

/** The entry in canonical words, or the first fault. */
export function parseFinding(input: { tooth: number; surfaces: readonly string[]; finding: string; teeth: readonly number[] }): NewFinding | Fault {
  const { tooth, finding } = input;
  if (!isTooth(tooth)) return { path: 'tooth', message: 'must be an FDI number, 11 to 48 or 51 to 85' };
  const about = findingOf(finding);
  if (!about) return { path: 'finding', message: 'must be a code of GET /api/dental/findings' };
  const teeth = parseTeeth(tooth, input.teeth, about);
  if ('message' in teeth) return teeth;
  const surfaces = parseSurfaces(tooth, input.surfaces, about);
  if ('message' in surfaces) return surfaces;
  return { finding, teeth, surfaces };
}

function parseTeeth(tooth: number, given: readonly number[], about: Finding): number[] | Fault {
  if (given.length === 0) return [tooth];
  const path = 'teeth';
  if (about.extent !== 'span') return { path, message: `must be left out: ${about.code} lies on one tooth` };
  if (!given.includes(tooth)) return { path, message: 'must hold the tooth' };
  const row = span(tooth, tooth) && given.every(isTooth) ? rowOf(given) : undefined;
  if (!row) return { path, message: 'must be FDI numbers of one arch' };
  // A bridge and a splint go from end to end; a removable prosthesis may leave teeth out.
  return about.code === 'prosthesis' ? row.filter((one) => given.includes(one)) : row;
}

/** From the outermost of the teeth to the other one, in the order of the row. */
function rowOf(teeth: readonly number[]): number[] | undefined {
  let widest: number[] | undefined;
  for (const other of teeth) {
    for (const one of teeth) {
      const between = span(one, other);
      if (!between) return undefined;
      if (!widest || between.length > widest.length) widest = between;
    }
  }
  return widest;
}

function parseSurfaces(tooth: number, given: readonly string[], about: Finding): Surface[] | Fault {
  const path = 'surfaces';
  if (given.length > 0 && about.extent !== 'surfaces') return { path, message: `must be left out: ${about.code} is about the whole tooth` };
  const surfaces = new Set<Surface>();
  for (const said of given) {
    const surface = surfaceOf(tooth, said);
    if (!surface) return { path, message: `tooth ${tooth} has the surfaces ${surfacesOf(tooth).join(', ')}` };
    surfaces.add(surface);
  }
  return surfacesOf(tooth).filter((surface) => surfaces.has(surface));
}

/** Which teeth of a bridge hang in it: those named, or else those that are gone, or else those between the ends. */
export function parsePontics(charted: NewFinding, given: readonly number[], chart: readonly ToothFinding[]): number[] | Fault {
  const { finding, teeth } = charted;
  const path = 'pontics';
  if (finding !== 'bridge') return given.length === 0 ? [] : { path, message: 'must be left out: only a bridge has them' };
  if (!given.every((tooth) => teeth.includes(tooth))) return { path, message: 'must be teeth of the bridge' };
  if (given.length > 0) return teeth.filter((tooth) => given.includes(tooth));
  const gone = teeth.filter((tooth) => chart.some((one) => one.tooth === tooth && isGone(one)));
  return gone.length > 0 ? gone : teeth.slice(1, -1);
}
