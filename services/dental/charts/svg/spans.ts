// Findings on several teeth: a bridge is a bar with a post at each abutment, a prosthesis two lines, a splint a wave.
import type { ToothFinding } from '../rules/chart.ts';
import { meaningOf, outline, type Palette, STATUS_ES } from './colours.ts';
import { group, path, title } from './elements.ts';

export type Place = { x: number; y: number; scale: number; up: boolean };

/** One symbol for each span, over its teeth that the chart shows. */
export function drawSpans(findings: readonly ToothFinding[], placeOf: (tooth: number) => Place | undefined, palette: Palette): string {
  const spans = Map.groupBy(
    findings.filter(({ finding }) => finding === 'bridge' || finding === 'prosthesis' || finding === 'splint'),
    ({ id }) => id,
  );
  return [...spans.values()].map((teeth) => drawSpan(teeth, placeOf, palette)).join('');
}

const NAME: Record<string, string> = { bridge: 'Puente fijo', prosthesis: 'Prótesis removible', splint: 'Ferulización' };

function drawSpan(teeth: ToothFinding[], placeOf: (tooth: number) => Place | undefined, palette: Palette): string {
  const [first] = teeth;
  const places = teeth.flatMap((one) => {
    const place = placeOf(one.tooth);
    return place ? [{ ...place, pontic: one.pontic }] : [];
  });
  const [sample] = places;
  if (!first || !sample) return '';
  const xs = places.map(({ x }) => x);
  const half = 17 * sample.scale;
  const [left, right] = [Math.min(...xs) - half, Math.max(...xs) + half];
  const side = sample.up ? -1 : 1;
  const meaning = meaningOf(first);
  const label = title(`${NAME[first.finding]} ${teeth.map(({ tooth }) => tooth).join(', ')}: ${STATUS_ES[first.status]}`);
  const drawPath = (d: string, width = 2.4) => outline(meaning, palette, width, (stroke) => path(d, stroke));
  if (first.finding === 'bridge') {
    const y = sample.y + side * 33 * sample.scale;
    const feet = places.filter(({ pontic }) => !pontic).map(({ x }) => `M${x},${y} v${-side * 10 * sample.scale}`);
    return group({}, label, drawPath(`M${left},${y} H${right} ${feet.join(' ')}`, 5));
  }
  if (first.finding === 'prosthesis') {
    const y = sample.y + side * 42 * sample.scale;
    return group({}, label, drawPath(`M${left},${y - 3} H${right} M${left},${y + 3} H${right}`));
  }
  const y = sample.y + side * 26 * sample.scale;
  const waves = Math.max(2, Math.round((right - left) / 14));
  const step = (right - left) / waves;
  return group({}, label, drawPath(`M${left},${y} ${`q${step / 4},-5 ${step / 2},0 t${step / 2},0 `.repeat(waves)}`));
}
