// The SVG of a periodontal exam.
import { expect, test } from '@jest/globals';
import { checkWellFormed, teethIn } from '../testing/svg.ts';
import { drawPeriodontogram } from './periodontogram.ts';

test('a periodontogram shows both sides of all teeth, deciduous teeth at the positions of their successors', () => {
  const site = { site: 'MV', depth: 15, recession: 15, bleeding: true, plaque: true, suppuration: true };
  const svg = drawPeriodontogram([{ tooth: 55, mobility: 2, furcation: [{ side: 'V', grade: 2 }], sites: [site] }], '2026-06-01');
  checkWellFormed(svg);
  expect(teethIn(svg)).toHaveLength(64);
  expect([teethIn(svg).includes(55), teethIn(svg).includes(15)]).toEqual([true, false]);
  const shapes = (chart: string) => ['<circle', '<rect', '<path'].map((shape) => chart.split(shape).length);
  const noSigns = { ...site, bleeding: false, plaque: false, suppuration: false };
  const without = drawPeriodontogram([{ tooth: 55, mobility: 2, furcation: [], sites: [noSigns] }], '2026-06-01');
  expect(shapes(without)).toEqual(shapes(svg).map((count) => count - 1));
  expect(svg).toContain('<title>55: MV 15 mm, recesión 15 mm, sangra, placa, supura</title>');
});
