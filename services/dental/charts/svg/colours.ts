// How a chart shows what a finding means: by colour and, for readers who cannot distinguish the colours, by fill and outline.
import type { ToothFinding } from '../rules/chart.ts';
import { type FindingStatus, findingOf } from '../rules/findings.ts';
import { line, path, tag } from './elements.ts';

export const CHART_COLORS = ['standard', 'red_blue'] as const;
export type ChartColors = (typeof CHART_COLORS)[number];

/** Separates disease from sound restorations, and planned work from what is in the mouth. */
export const MEANINGS = ['problem', 'existing', 'planned', 'treated'] as const;
export type Meaning = (typeof MEANINGS)[number];
export type Palette = Record<Meaning, string>;

const RED = '#C81E1E';
const BLUE = '#1D4FBF';
export const PALETTES: Record<ChartColors, Palette> = {
  // Distinguishable with every kind of colour blindness: the palette of Okabe and Ito, but with the purple of Tol, because theirs is pale on white.
  standard: { problem: '#D55E00', existing: '#0072B2', planned: '#AA3377', treated: '#009E73' },
  // The convention of many dental schools: red is to be treated, blue is treated.
  red_blue: { problem: RED, existing: BLUE, planned: RED, treated: BLUE },
};
export const MEANING_ES: Record<Meaning, string> = { problem: 'Problema', existing: 'Existente', planned: 'Planificado', treated: 'Realizado' };

export const STATUS_ES: Record<FindingStatus, string> = { existing: 'existente', planned: 'planificado', treated: 'realizado' };

export function meaningOf({ finding, status }: Pick<ToothFinding, 'finding' | 'status'>): Meaning {
  return status === 'existing' && findingOf(finding)?.problem ? 'problem' : status;
}

type Stroke = Record<string, string | number | undefined>;

/** Draws an outline: dashed when it is planned, a double line when it was treated, otherwise a single line. */
export function outline(meaning: Meaning, palette: Palette, width: number, draw: (stroke: Stroke) => string): string {
  const stroke = { stroke: palette[meaning], 'stroke-width': width, 'stroke-linecap': 'round', 'stroke-linejoin': 'round', fill: 'none' };
  if (meaning === 'planned') return draw({ ...stroke, 'stroke-linecap': 'butt', 'stroke-dasharray': '4.5 3' });
  if (meaning !== 'treated') return draw(stroke);
  return draw({ ...stroke, 'stroke-width': width + 2 }) + draw({ ...stroke, stroke: '#FFFFFF', 'stroke-width': width * 0.4 });
}

type Texture = 'hatch' | 'cross' | 'dots' | 'bars' | 'rings';

/** The texture of a finding on a surface, by code; caries is solid while it is a problem. */
export const TEXTURE: Record<string, Texture | 'solid'> = {
  caries: 'solid',
  filling_resin: 'hatch',
  filling_amalgam: 'cross',
  inlay: 'cross',
  sealant: 'dots',
  white_spot: 'rings',
  filling_temporary: 'bars',
};

/** The fill of a surface. A problem that is planned or treated has only its outline. */
export function fillOf(finding: string, meaning: Meaning, palette: Palette): string {
  const texture = TEXTURE[finding] ?? 'solid';
  if (findingOf(finding)?.problem && meaning !== 'problem') return '#FFFFFF';
  return texture === 'solid' ? palette[meaning] : `url(#${texture}-${meaning})`;
}

/** The `<pattern>` elements that the fills refer to. */
export function drawPatterns(palette: Palette): string {
  return MEANINGS.flatMap((meaning) => {
    const colour = palette[meaning];
    const stroke = { stroke: colour, 'stroke-width': 1.6, fill: 'none' };
    const dot = (x: number, y: number) => tag('circle', { cx: x, cy: y, r: 1.1, fill: colour });
    // Planned findings have no tint and a wider texture.
    const [tint, patternTransform] = meaning === 'planned' ? [0, 'scale(1.6)'] : [0.16, undefined];
    const pattern = (texture: Texture, size: number, ...marks: string[]) =>
      tag(
        'pattern',
        { id: `${texture}-${meaning}`, width: size, height: size, patternUnits: 'userSpaceOnUse', patternTransform },
        tag('rect', { width: size, height: size, fill: colour, 'fill-opacity': tint }),
        ...marks,
      );
    return [
      pattern('hatch', 5, path('M-1,1 l2,-2 M0,5 l5,-5 M4,6 l2,-2', stroke)),
      pattern('cross', 5, path('M0,0 l5,5 M0,5 l5,-5', { ...stroke, 'stroke-width': 1.3 })),
      pattern('dots', 5, dot(1.25, 1.25), dot(3.75, 3.75)),
      pattern('bars', 4, line(0, 2, 4, 2, stroke)),
      pattern('rings', 7, tag('circle', { cx: 3.5, cy: 3.5, r: 2.2, ...stroke, 'stroke-width': 1.1 })),
    ];
  }).join('');
}
