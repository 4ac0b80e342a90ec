// Charts built from entries: single cases that dentists expect, and random charts compared with a simple model.
import { isTooth } from '@clinic/lib/formats/teeth.ts';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Entry, type FindingEntry, foldChart } from './chart.ts';
import { FINDING_STATUSES, FINDINGS, type FindingStatus, findingOf } from './findings.ts';
import { DECIDUOUS, PERMANENT, type Surface, span, surfaceOf, surfacesOf } from './teeth.ts';
import { untreatedFindings } from './untreated.ts';

const AT = new Date('2026-06-01T14:00:00Z');

function entries(...given: [tooth: number | number[], finding: string, status: FindingStatus, surfaces?: Surface[], replaces?: string][]): FindingEntry[] {
  return given.map(([tooth, finding, status, surfaces = [], replaces = null], index) => {
    const teeth = Array.isArray(tooth) ? tooth : [tooth];
    return { kind: 'finding', id: `e${index + 1}`, number: index + 1, teeth, pontics: [], finding, status, surfaces, notes: null, replaces, createdAt: AT };
  });
}
const summaries = (list: Entry[]) =>
  foldChart(list).findings.map(({ tooth, finding, status, surfaces }) => `${tooth} ${finding} ${status} ${surfaces.join('')}`.trim());

describe('entries', () => {
  test('a filling ends the caries on its surfaces and leaves the others', () => {
    expect(summaries(entries([16, 'caries', 'existing', ['M', 'O']], [16, 'filling_resin', 'treated', ['O']]))).toEqual([
      '16 caries existing M',
      '16 filling_resin treated O',
    ]);
  });
  test('a planned treatment changes no finding', () => {
    expect(summaries(entries([16, 'caries', 'existing', ['O']], [16, 'filling_resin', 'planned', ['O']]))).toHaveLength(2);
  });
  test('the same finding with another status replaces the status', () => {
    expect(summaries(entries([16, 'caries', 'existing'], [16, 'caries', 'treated', ['O']]))).toEqual(['16 caries existing MDVP', '16 caries treated O']);
  });
  test('a crown ends fillings and decay, a root canal treatment ends pulpitis', () => {
    expect(
      summaries(entries([36, 'filling_amalgam', 'existing', ['O']], [36, 'pulpitis', 'existing'], [36, 'root_canal', 'treated'], [36, 'crown', 'treated'])),
    ).toEqual(['36 root_canal treated', '36 crown treated']);
  });
  test('an extraction ends the findings of the tooth, an implant replaces it', () => {
    const extracted = entries([46, 'caries', 'existing', ['O']], [46, 'extraction_indicated', 'planned'], [46, 'extraction_indicated', 'treated']);
    expect(summaries(extracted)).toEqual(['46 extraction_indicated treated']);
    expect(summaries(entries([46, 'missing', 'existing'], [46, 'implant', 'treated'], [46, 'crown', 'treated']))).toEqual([
      '46 implant treated',
      '46 crown treated',
    ]);
  });
  test('a new bridge ends an old one that shares a tooth, on all of its teeth', () => {
    expect(summaries(entries([[13, 14, 15], 'bridge', 'existing'], [[15, 16, 17], 'bridge', 'treated']))).toEqual([
      '15 bridge treated',
      '16 bridge treated',
      '17 bridge treated',
    ]);
  });
  test('a correction replaces the entry, a void removes it', () => {
    const wrong = entries([11, 'caries', 'existing', ['M']], [12, 'caries', 'existing', ['M'], 'e1']);
    expect(summaries(wrong)).toEqual(['12 caries existing M']);
    expect(summaries([...wrong, { kind: 'void', id: 'e3', number: 3, replaces: 'e2', createdAt: AT }])).toEqual([]);
  });
});

describe('untreated', () => {
  test('contains problems and planned treatments by urgency, a planned treatment instead of the problem it treats, and a bridge once', () => {
    const { findings } = foldChart(
      entries(
        [26, 'sealant', 'planned', ['O']],
        [16, 'caries', 'existing', ['O']],
        [16, 'filling_amalgam', 'planned', ['O']],
        [36, 'pulpitis', 'existing'],
        [37, 'filling_resin', 'existing', ['O']],
        [[13, 14, 15], 'bridge', 'planned'],
        [47, 'caries', 'treated', ['O']],
      ),
    );
    expect(untreatedFindings(findings).map(({ tooth, procedure }) => `${tooth} ${procedure}`)).toEqual([
      '36 root_canal',
      '16 filling_amalgam',
      '13 bridge',
      '26 sealant',
    ]);
  });
  test('contains the extraction before a planned implant', () => {
    const { findings } = foldChart(
      entries([16, 'extraction_indicated', 'existing'], [16, 'implant', 'planned'], [26, 'root_remnant', 'existing'], [26, 'implant', 'planned']),
    );
    expect(untreatedFindings(findings).map(({ tooth, procedure }) => `${tooth} ${procedure}`)).toEqual([
      '16 extraction',
      '26 extraction',
      '16 implant',
      '26 implant',
    ]);
  });
});

describe('the catalogue', () => {
  test('has unique codes, colours and both names, and settles only codes that it contains', () => {
    expect(new Set(FINDINGS.map(({ code }) => code)).size).toBe(FINDINGS.length);
    for (const { colour, nameEs, nameEn, settles, urgency } of FINDINGS) {
      expect(colour).toMatch(/^#[0-9A-F]{6}$/);
      expect([nameEs, nameEn]).not.toContain('');
      expect(settles.every((code) => findingOf(code))).toBe(true);
      expect([1, 2, 3, 4, 5]).toContain(urgency);
    }
  });
});

describe('teeth', () => {
  test('are the 52 FDI numbers, with five surfaces each', () => {
    expect(PERMANENT).toHaveLength(32);
    expect(DECIDUOUS).toHaveLength(20);
    expect(Array.from({ length: 200 }, (_, index) => index - 100).filter(isTooth)).toEqual([...PERMANENT, ...DECIDUOUS].toSorted((a, b) => a - b));
    expect([11.5, 111, Number.NaN].some(isTooth)).toBe(false);
    expect(surfacesOf(11)).toEqual(['M', 'D', 'I', 'V', 'P']);
    expect(surfacesOf(85)).toEqual(['M', 'D', 'O', 'V', 'L']);
  });
  test('accept synonyms of surfaces and reject surfaces that a tooth lacks', () => {
    expect([surfaceOf(16, 'b'), surfaceOf(16, 'L'), surfaceOf(46, 'F'), surfaceOf(46, 'o')]).toEqual(['V', 'P', 'V', 'O']);
    expect([surfaceOf(11, 'O'), surfaceOf(16, 'I'), surfaceOf(46, 'P'), surfaceOf(46, 'X')]).toEqual([undefined, undefined, undefined, undefined]);
  });
  test('between two teeth exist only if both are in one row', () => {
    expect(span(13, 11)).toEqual([13, 12, 11]);
    expect(span(12, 22)).toEqual([12, 11, 21, 22]);
    expect([span(16, 46), span(16, 55)]).toEqual([undefined, undefined]);
  });
});

const someEntry = fc.record({
  tooth: fc.constantFrom(16, 11, 46, 55),
  finding: fc.constantFrom('caries', 'filling_resin', 'crown', 'missing', 'extraction_indicated', 'root_canal', 'pulpitis', 'implant', 'sealant', 'mobility'),
  status: fc.constantFrom(...FINDING_STATUSES),
  picks: fc.array(fc.nat(4), { maxLength: 5 }),
  corrects: fc.option(fc.nat(20), { freq: 4 }),
  isVoid: fc.boolean(),
});

/** A simple model of a chart: one cell per finding and surface of a tooth. */
function model(list: Entry[]): string[] {
  const cells = new Map<string, { number: number; status: string }>();
  const corrected = list.map(({ replaces }) => replaces);
  for (const entry of list) {
    if (entry.kind !== 'finding' || corrected.includes(entry.id)) continue;
    const [tooth = 0] = entry.teeth;
    const covers = entry.surfaces.length > 0 ? entry.surfaces : surfacesOf(tooth);
    const gone = (entry.finding === 'missing' && entry.status !== 'planned') || (entry.finding === 'extraction_indicated' && entry.status === 'treated');
    for (const key of [...cells.keys()]) {
      const [where, finding = '', surface] = key.split(' ');
      if (Number(where) !== tooth || finding === entry.finding) continue;
      const settled = entry.status !== 'planned' && findingOf(entry.finding)?.settles.includes(finding) && covers.includes(surface as Surface);
      if (settled || (gone && !['implant', 'missing'].includes(finding))) cells.delete(key);
    }
    for (const surface of covers) cells.set(`${tooth} ${entry.finding} ${surface}`, { number: entry.number, status: entry.status });
  }
  return [...cells].map(([key, { number, status }]) => `${key} ${number} ${status}`).sort();
}

test('random charts equal the model', () => {
  fc.assert(
    fc.property(fc.array(someEntry, { maxLength: 20 }), (given) => {
      const list: Entry[] = [];
      for (const { tooth, finding, status, picks, corrects, isVoid } of given) {
        const number = list.length + 1;
        const wrong = list[corrects ?? -1];
        const replaces = wrong && wrong.kind === 'finding' && !list.some((one) => one.replaces === wrong.id) ? wrong.id : null;
        const own = surfacesOf(tooth);
        const surfaces = findingOf(finding)?.extent === 'surfaces' ? own.filter((_, index) => picks.includes(index)) : [];
        if (isVoid && replaces) list.push({ kind: 'void', id: `v${number}`, number, replaces, createdAt: AT });
        else
          list.push({
            kind: 'finding',
            id: `f${number}`,
            number,
            teeth: [tooth],
            pontics: [],
            finding,
            status,
            surfaces,
            notes: null,
            replaces,
            createdAt: AT,
          });
      }
      const folded = foldChart(list).findings.flatMap(({ tooth, finding, surfaces, number, status }) =>
        (surfaces.length > 0 ? surfaces : surfacesOf(tooth)).map((surface) => `${tooth} ${finding} ${surface} ${number} ${status}`),
      );
      expect(folded.sort()).toEqual(model(list));
    }),
    { numRuns: 500 },
  );
});
