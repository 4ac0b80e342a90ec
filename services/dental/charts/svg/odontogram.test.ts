// The SVG of a chart: well-formed, with every tooth once, in order, and every charted tooth.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkWellFormed, teethIn } from '../../testing/svg.ts';
import type { ToothFinding } from '../rules/chart.ts';
import { FINDING_STATUSES, FINDINGS } from '../rules/findings.ts';
import { DECIDUOUS, PERMANENT, ROWS, span, surfacesOf } from '../rules/teeth.ts';
import { drawOdontogram } from './odontogram.ts';

const someFinding: fc.Arbitrary<ToothFinding> = fc
  .record({
    tooth: fc.constantFrom(...PERMANENT, ...DECIDUOUS),
    about: fc.constantFrom(...FINDINGS),
    status: fc.constantFrom(...FINDING_STATUSES),
    whole: fc.boolean(),
  })
  .map(({ tooth, about, status, whole }) => ({
    id: `${tooth} ${about.code}`,
    number: 1,
    tooth,
    finding: about.code,
    status,
    surfaces: about.extent === 'surfaces' && !whole ? surfacesOf(tooth).slice(0, 2) : [],
    teeth: about.extent === 'span' ? (span(tooth, tooth) ?? []) : [tooth],
    pontic: whole,
    notes: '<script>',
    createdAt: new Date(0),
  }));

describe('an odontogram', () => {
  test('has the rows of its dentition, from the right to the left of the patient', () => {
    expect(teethIn(drawOdontogram([], 'adult'))).toEqual([...ROWS.upper, ...ROWS.lower]);
    expect(teethIn(drawOdontogram([], 'child'))).toEqual([...ROWS.upperDeciduous, ...ROWS.lowerDeciduous]);
    expect(teethIn(drawOdontogram([], 'mixed'))).toEqual([...ROWS.upper, ...ROWS.upperDeciduous, ...ROWS.lowerDeciduous, ...ROWS.lower]);
  });

  test('is well-formed and shows each charted tooth for any findings', () => {
    fc.assert(
      fc.property(fc.array(someFinding, { maxLength: 12 }), fc.constantFrom('adult', 'child', 'mixed'), (findings, dentition) => {
        const svg = drawOdontogram(findings, dentition);
        checkWellFormed(svg);
        expect(teethIn(svg)).toEqual(expect.arrayContaining(findings.map(({ tooth }) => tooth)));
        expect(svg).not.toContain('script');
      }),
    );
  });

  test('counts a bridge as one finding', () => {
    const teeth = [13, 14, 15];
    const on = (tooth: number) => ({ id: 'b', number: 1, tooth, finding: 'bridge', status: 'existing', surfaces: [], teeth, pontic: false }) as const;
    const bridge = teeth.map((tooth) => ({ ...on(tooth), notes: null, createdAt: new Date(0) }));
    const caries = { ...on(26), id: 'c', finding: 'caries', teeth: [26], notes: null, createdAt: new Date(0) };
    expect(drawOdontogram(bridge, 'adult')).toContain('dentición permanente: 1 hallazgo.</desc>');
    expect(drawOdontogram([...bridge, caries], 'adult')).toContain('dentición permanente: 2 hallazgos.</desc>');
  });

  test('is blue, red and green by status', () => {
    const colours = FINDING_STATUSES.map((status) => {
      const crown = { id: 'a', number: 1, tooth: 16, finding: 'crown', status, surfaces: [], teeth: [16], pontic: false, notes: null, createdAt: new Date(0) };
      return /<ellipse[^>]*stroke="(#\w+)"/.exec(drawOdontogram([crown], 'adult'))?.[1];
    });
    expect(colours).toEqual(['#1D5FBF', '#D12F2B', '#1B8A4B']);
  });
});
