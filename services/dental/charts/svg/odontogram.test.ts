// The SVG of a chart: well-formed, with every tooth once, in order, and every charted tooth.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkWellFormed, teethIn } from '../../testing/svg.ts';
import type { ToothFinding } from '../rules/chart.ts';
import { FINDING_STATUSES, FINDINGS, type FindingStatus } from '../rules/findings.ts';
import { DECIDUOUS, PERMANENT, ROWS, type Surface, span, surfacesOf } from '../rules/teeth.ts';
import type { ChartColors } from './colours.ts';
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
    expect(teethIn(drawOdontogram([], 'adult', 'standard'))).toEqual([...ROWS.upper, ...ROWS.lower]);
    expect(teethIn(drawOdontogram([], 'child', 'standard'))).toEqual([...ROWS.upperDeciduous, ...ROWS.lowerDeciduous]);
    expect(teethIn(drawOdontogram([], 'mixed', 'standard'))).toEqual([...ROWS.upper, ...ROWS.upperDeciduous, ...ROWS.lowerDeciduous, ...ROWS.lower]);
  });

  test('is well-formed and shows each charted tooth for any findings', () => {
    fc.assert(
      fc.property(fc.array(someFinding, { maxLength: 12 }), fc.constantFrom('adult', 'child', 'mixed'), (findings, dentition) => {
        const svg = drawOdontogram(findings, dentition, 'standard');
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
    expect(drawOdontogram(bridge, 'adult', 'standard')).toContain('dentición permanente: 1 hallazgo.</desc>');

    expect(drawOdontogram([...bridge, caries], 'adult', 'standard')).toContain('dentición permanente: 2 hallazgos.</desc>');
  });
  test('medical alerts are below the chart, each severity with a shape of its own', () => {
    const alerts = ['danger', 'warning', 'info'].map((severity) => ({ severity, text: `<${'palabra '.repeat(14)}` }));
    const svg = drawOdontogram([], 'adult', 'standard', alerts);
    const heightOf = (drawn: string) => Number(/height="(\d+(\.\d+)?)"/.exec(drawn)?.[1]);
    for (const label of ['Peligro: &lt;palabra', 'Precaución:', 'Aviso:']) expect(svg).toContain(label);
    expect(heightOf(svg) - heightOf(drawOdontogram([], 'adult', 'standard'))).toBe(14 + 6 * 20);
  });

  test('the lines of an alert fit the width, also in capitals and when a word is longer than a line, and contain all of its text', () => {
    for (const words of ['ALERGIA A LA PENICILINA. '.repeat(8), 'Á'.repeat(200), `${'x'.repeat(80)} ${'🦷'.repeat(90)} y`]) {
      const svg = drawOdontogram([], 'adult', 'standard', [{ severity: 'danger', text: words.trim() }]);
      const lines = [...svg.matchAll(/font-size="14" fill="#1F2933">([^<]*)</g)].map(([, line = '']) => line);
      expect(lines.join('').replaceAll(' ', '')).toBe(`Peligro:${words.replaceAll(' ', '')}`);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(85);
      checkWellFormed(svg);
    }
  });

  test('a tooth has two abbreviations, and then the number of further ones', () => {
    const labels = (...findings: string[]) => {
      const svg = drawOdontogram(
        findings.map((finding) => on16(finding, 'existing')),
        'adult',
        'standard',
      );
      const [, tooth = ''] = /<title>16:[^<]*<\/title>(.*?)<title>/s.exec(svg) ?? [];
      return [...tooth.matchAll(/>([^<>]+)<\/text>/g)].map(([, label]) => label);
    };
    expect(labels('mobility', 'recession')).toEqual(['16', 'Mov', 'Rec']);
    expect(labels('mobility', 'calculus', 'recession')).toEqual(['16', 'Mov', 'Cál', '+1']);
    expect(labels('mobility', 'caries', 'calculus', 'recession', 'wear')).toEqual(['16', 'Mov', 'Cál', '+2']);
  });

  const on16 = (finding: string, status: FindingStatus, surfaces: Surface[] = []) =>
    ({ id: 'a', number: 1, tooth: 16, finding, status, surfaces, teeth: [16], pontic: false, notes: null, createdAt: new Date(0) }) as const;
  /** The colour of a surface's finding, and how it is drawn apart from its colour. */
  const look = (finding: string, status: FindingStatus, colors: ChartColors) => {
    const [, tooth = ''] = /<title>16:[^<]*<\/title>(.*?)<title>/s.exec(drawOdontogram([on16(finding, status, ['O'])], 'adult', colors)) ?? [];
    const marks = [...tooth.matchAll(/<polygon[^>]*>/g)].slice(5).join('');
    const colour = /stroke="(#\w{6})"/.exec(marks)?.[1] ?? '';
    return { colour, shape: marks.replaceAll(colour, '').replace(/url\(#(\w+)-\w+\)/, '$1') };
  };

  test('shows disease, sound restorations, planned and treated work in different colours, and distinguishably without colours', () => {
    const looks = (colors: ChartColors) => [look('caries', 'existing', colors), ...FINDING_STATUSES.map((status) => look('filling_resin', status, colors))];
    expect(new Set(looks('standard').map(({ colour }) => colour)).size).toBe(4);
    expect(new Set(looks('standard').map(({ shape }) => shape)).size).toBe(4);
    expect(looks('red_blue').map(({ colour }) => colour)).toEqual(['#C81E1E', '#1D4FBF', '#C81E1E', '#1D4FBF']);
    expect(new Set(looks('red_blue').map(({ shape }) => shape)).size).toBe(4);
  });

  test('shows every finding with a dashed outline when it is planned', () => {
    const dashes = (code: string, status: FindingStatus) => drawOdontogram([on16(code, status)], 'adult', 'standard').split('dasharray="4.5 3"').length;
    const undashed = FINDINGS.filter(({ code }) => dashes(code, 'planned') <= dashes(code, 'existing')).map(({ code }) => code);
    expect(undashed).toEqual(['unerupted']); // always dotted
  });

  test('explains its colours and patterns in a legend', () => {
    const svg = drawOdontogram([], 'adult', 'standard');
    const labels = ['Problema', 'Existente', 'Planificado', 'Realizado', 'Caries', 'Resina', 'Pulpotomía', 'Endoposte', 'Ferulización', 'En erupción'];
    for (const label of labels) expect(svg).toContain(`>${label}</text>`);
  });
});
