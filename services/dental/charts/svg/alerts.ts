// The medical alerts of the patient below a chart. Severity has a shape of its own beside its colour.
import { group, polygon, tag, text } from './elements.ts';

export type ChartAlert = { severity: string; text: string };

const LINE = 20;
const ABOVE = 14;
/** In UTF-16 code units: as many capital letters as fit in the width of a chart in a wide font. */
const WIDEST = 85;
const octagon = [1, 3, 5, 7, 9, 11, 13, 15].map((eighth) => [8 * Math.cos((eighth * Math.PI) / 8), 8 * Math.sin((eighth * Math.PI) / 8)] as const);

const SHAPES: Record<string, { label: string; mark: string }> = {
  danger: { label: 'Peligro', mark: polygon(octagon, { fill: '#C81E1E' }) },
  warning: { label: 'Precaución', mark: polygon([[0, -8], [9, 8], [-9, 8]], { fill: '#D55E00' }) }, // biome-ignore format: points of a triangle
  info: { label: 'Aviso', mark: tag('circle', { r: 8, fill: '#0072B2' }) },
};

/** `height` is that of all alerts. */
export function drawAlerts(x: number, y: number, alerts: readonly ChartAlert[]): { svg: string; height: number } {
  const lines = alerts.flatMap(({ severity, text: words }) => {
    const { label, mark } = SHAPES[severity] ?? { label: severity, mark: '' };
    return wrap(`${label}: ${words}`).map((content, index) => ({ content, mark: index === 0 ? mark : '' }));
  });
  const svg = lines.map(({ content, mark }, index) =>
    group(
      { transform: `translate(${x} ${y + ABOVE + index * LINE})` },
      mark && group({ transform: 'translate(9 -5)' }, mark),
      text(26, 0, content, { 'font-size': 14, fill: '#1F2933' }),
    ),
  );
  return { svg: svg.join(''), height: lines.length > 0 ? ABOVE + lines.length * LINE : 0 };
}

/** Lines of words; a word that is longer than a line is split. */
const wrap = (content: string): string[] =>
  fillLines(
    content.split(/\s+/).flatMap((word) => fillLines(word, '')),
    ' ',
  );

function fillLines(parts: Iterable<string>, separator: string): string[] {
  const [first = '', ...others] = parts;
  const lines = [first];
  for (const part of others) {
    const longer = lines.at(-1) + separator + part;
    if (longer.length > WIDEST) lines.push(part);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
