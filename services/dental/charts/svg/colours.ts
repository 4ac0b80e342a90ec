// Colours and textures of a chart: the colour shows the status, the texture the finding on a surface.
import type { FindingStatus } from '../rules/findings.ts';
import { line, path, tag } from './elements.ts';

export const COLOUR: Record<FindingStatus, string> = { existing: '#1D5FBF', planned: '#D12F2B', treated: '#1B8A4B' };
export const STATUS_ES: Record<FindingStatus, string> = { existing: 'existente', planned: 'planificado', treated: 'realizado' };

type Texture = 'solid' | 'hatch' | 'cross' | 'dots' | 'bars' | 'grain';

/** The texture of a finding on a surface, by code. */
export const TEXTURE: Record<string, Texture> = {
  caries: 'solid',
  filling_resin: 'hatch',
  filling_amalgam: 'cross',
  inlay: 'cross',
  sealant: 'dots',
  white_spot: 'grain',
  filling_temporary: 'bars',
};

/** The fill attribute for a texture in the colour of a status. */
export function fillOf(texture: Texture, status: FindingStatus): string {
  return texture === 'solid' ? COLOUR[status] : `url(#${texture}-${status})`;
}

function pattern(texture: Texture, status: FindingStatus, size: number, ...marks: string[]): string {
  return tag(
    'pattern',
    { id: `${texture}-${status}`, width: size, height: size, patternUnits: 'userSpaceOnUse' },
    tag('rect', { width: size, height: size, fill: COLOUR[status], 'fill-opacity': 0.16 }),
    ...marks,
  );
}

/** The `<pattern>` elements that the fills refer to. */
export const PATTERNS = (['existing', 'planned', 'treated'] as const)
  .flatMap((status) => {
    const stroke = { stroke: COLOUR[status], 'stroke-width': 1.6 };
    const dot = (x: number, y: number, r: number) => tag('circle', { cx: x, cy: y, r, fill: COLOUR[status] });
    return [
      pattern('hatch', status, 5, path('M-1,1 l2,-2 M0,5 l5,-5 M4,6 l2,-2', { ...stroke, fill: 'none' })),
      pattern('cross', status, 5, path('M0,0 l5,5 M0,5 l5,-5', { ...stroke, 'stroke-width': 1.3, fill: 'none' })),
      pattern('dots', status, 5, dot(1.25, 1.25, 1.1), dot(3.75, 3.75, 1.1)),
      pattern('bars', status, 4, line(0, 2, 4, 2, stroke)),
      pattern('grain', status, 4, dot(2, 2, 0.7)),
    ];
  })
  .join('');
