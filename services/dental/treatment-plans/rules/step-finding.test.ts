// The steps that a chart still needs, and the entries that close them, when teeth of a splint or bridge are lost meanwhile.
import { describe, expect, test } from '@jest/globals';
import { type FindingEntry, foldChart } from '../../charts/rules/chart.ts';
import { untreatedFindings } from '../../charts/rules/untreated.ts';
import { stepsFor } from './generated-steps.ts';
import { closingEntry, isPlanned } from './step-finding.ts';

function findingsOf(...given: [teeth: number[], finding: string, status: FindingEntry['status']][]) {
  const common = { kind: 'finding', pontics: [], surfaces: [], notes: null, replaces: null, createdAt: new Date(0) } as const;
  return foldChart(given.map(([teeth, finding, status], index) => ({ ...common, id: `e${index}`, number: index, teeth, finding, status }))).findings;
}
const place = (tooth: number, procedure_code = 'splint') => ({ procedure_code, tooth, surfaces: [] });

describe.each<[string, [number[], string, FindingEntry['status']][], string, number[]]>([
  ['of which no tooth was lost', [], '41 Ferulización, dientes 41, 31, 32', [41, 31, 32]],
  ['whose first tooth was extracted', [[[41], 'extraction_indicated', 'treated']], '31 Ferulización, dientes 31, 32', [31, 32]],
  ['whose middle tooth is missing', [[[31], 'missing', 'existing']], '41 Ferulización, dientes 41, 32', [41, 32]],
  ['of which one tooth is left', [[[41, 31], 'missing', 'existing']], '32 Ferulización, diente 32', [32]],
])('a planned splint %s', (_name, lost, step, teeth) => {
  const findings = findingsOf([[41, 31, 32], 'splint', 'planned'], ...lost);
  const untreated = untreatedFindings(findings);

  test('is planned once, on its remaining teeth', () => {
    expect(stepsFor(untreated, []).map(({ tooth, procedure }) => `${tooth} ${procedure}`)).toEqual([step]);
    const planned = (tooth: number) => untreated.map((finding) => isPlanned(finding, [place(tooth)]));
    expect([planned(41), planned(teeth[0] ?? 0), planned(33)]).toEqual([[true], [true], [false]]);
  });

  test('is closed by the step that was generated before the loss, and by one that was generated after it', () => {
    for (const tooth of [41, teeth[0] ?? 0]) expect(closingEntry(place(tooth), findings)).toMatchObject({ finding: 'splint', status: 'treated', teeth });
    expect(closingEntry(place(33), findings)).toBeUndefined();
  });
});

test('a step closes a finding on its own tooth before a splint that extends over it', () => {
  const findings = findingsOf([[41], 'mobility', 'existing'], [[31, 41], 'splint', 'planned']);
  expect(closingEntry(place(41), findings)).toMatchObject({ finding: 'splint', teeth: [41] });
});

test('a bridge retains its lost teeth, and another bridge that replaces it is planned again', () => {
  const bridge = [[15, 16, 17], 'bridge', 'planned'] as [number[], string, 'planned'];
  expect(stepsFor(untreatedFindings(findingsOf(bridge, [[16], 'missing', 'existing'])), [])).toMatchObject([{ procedure: 'Puente fijo, dientes 15, 16, 17' }]);
  const [replacing] = untreatedFindings(findingsOf(bridge, [[13, 14, 15], 'bridge', 'planned']));
  expect(replacing && isPlanned(replacing, [place(15, 'bridge')])).toBe(false);
});

test('the procedure of a step has at most 200 characters, with the place in full', () => {
  const teeth = [18, 17, 16, 15, 14, 13, 12, 11, 21, 22, 23, 24, 25, 26, 27, 28];
  const untreated = untreatedFindings(findingsOf([teeth, 'prosthesis', 'planned'], [[36], 'crown', 'planned']));
  const named = (name: string) => ['prosthesis', 'crown'].map((code) => ({ code, name, price_cents: 1n }));
  for (const letter of ['x', '🦷']) {
    const steps = stepsFor(untreated, named(letter.repeat(200)));
    expect(steps.map(({ procedure }) => [...procedure].length)).toEqual([200, 200]);
    expect(steps[1]?.procedure).toMatch(new RegExp(`^${letter}+…, dientes 18, .*28$`, 'u'));
  }
});
