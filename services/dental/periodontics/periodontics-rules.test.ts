// Validation of exams, and indexes and comparisons compared with plain arithmetic.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PERMANENT } from '../charts/rules/teeth.ts';
import { compareExams, findFault, furcationSides, indexesOf, type MeasuredSite, type MeasuredTooth, SITES } from './periodontics-rules.ts';

const site = (given: Partial<MeasuredSite>): MeasuredSite => ({
  site: 'V',
  depth: 2,
  recession: 0,
  bleeding: false,
  plaque: false,
  suppuration: false,
  ...given,
});
const tooth = (number: number, sites: MeasuredSite[] = [], given: Partial<MeasuredTooth> = {}): MeasuredTooth => ({
  tooth: number,
  mobility: 0,
  furcation: [],
  sites,
  ...given,
});

test('indexes are percentages and means over the measured sites', () => {
  const sites = [site({ bleeding: true, depth: 6, recession: 1 }), site({ site: 'MV', plaque: true, depth: 4 }), site({ site: 'DV', recession: -1 })];
  expect(indexesOf([tooth(16, sites), tooth(17)])).toEqual({
    bleedingIndex: 33.3,
    plaqueIndex: 33.3,
    meanDepth: 4,
    meanAttachmentLoss: 4,
    sitesMeasured: 3,
    sitesFrom4mm: 2,
    sitesFrom6mm: 1,
  });
  expect(indexesOf([tooth(16)])).toMatchObject({ bleedingIndex: 0, meanDepth: 0, sitesMeasured: 0 });
});

describe('an invalid exam', () => {
  test.each<[string, MeasuredTooth[], string]>([
    ['nothing measured', [], 'teeth'],
    ['an unknown tooth', [tooth(19)], 'teeth.0.tooth'],
    ['a tooth twice', [tooth(16), tooth(16)], 'teeth.1.tooth'],
    ['an unknown site', [tooth(16, [site({ site: 'X' })])], 'teeth.0.sites.0.site'],
    ['a site twice', [tooth(16, [site({}), site({})])], 'teeth.0.sites.1.site'],
    ['a depth of 16', [tooth(16, [site({ depth: 16 })])], 'teeth.0.sites.0.depth'],
    ['half a millimetre', [tooth(16, [site({ depth: 1.5 })])], 'teeth.0.sites.0.depth'],
    ['a recession of -11', [tooth(16, [site({ recession: -11 })])], 'teeth.0.sites.0.recession'],
    ['mobility 4', [tooth(16, [], { mobility: 4 })], 'teeth.0.mobility'],
    ['a furcation of one root', [tooth(11, [], { furcation: [{ side: 'V', grade: 1 }] })], 'teeth.0.furcation.0.side'],
    ['a mesial furcation below', [tooth(46, [], { furcation: [{ side: 'M', grade: 1 }] })], 'teeth.0.furcation.0.side'],
    ['grade 4', [tooth(46, [], { furcation: [{ side: 'L', grade: 4 }] })], 'teeth.0.furcation.0.grade'],
  ])('%s', (_name, teeth, path) => {
    expect(findFault(teeth)).toMatchObject({ path });
  });
  test('valid exams are accepted', () => {
    expect(findFault([tooth(16, [site({})], { mobility: 3, furcation: [{ side: 'D', grade: 3 }] }), tooth(55)])).toBeUndefined();
    expect([furcationSides(14), furcationSides(24), furcationSides(34), furcationSides(74)]).toEqual([['M', 'D'], ['M', 'D'], [], ['V', 'L']]);
  });
});

const someExam = fc.uniqueArray(
  fc.record({
    tooth: fc.constantFrom(...PERMANENT),
    sites: fc.uniqueArray(fc.record({ site: fc.constantFrom(...SITES), depth: fc.nat(15), recession: fc.integer({ min: -10, max: 15 }) }), {
      selector: (one) => one.site,
    }),
  }),
  { selector: (one) => one.tooth, maxLength: 8 },
);
const asExam = (exam: { tooth: number; sites: { site: string; depth: number; recession: number }[] }[]) =>
  exam.map((one) =>
    tooth(
      one.tooth,
      one.sites.map((measured) => site(measured)),
    ),
  );

test('a comparison counts each site of both exams once; the reverse comparison is its opposite', () => {
  fc.assert(
    fc.property(someExam, someExam, (first, second) => {
      const [from, to] = [asExam(first), asExam(second)];
      const { improved, worsened, unchanged, changes, depthChange, attachmentChange } = compareExams(from, to);
      const both = from.flatMap((one) =>
        one.sites.filter(({ site }) => to.find((other) => other.tooth === one.tooth)?.sites.some((other) => other.site === site)),
      );
      expect(improved + worsened + unchanged).toBe(both.length);
      expect(changes.length).toBeGreaterThanOrEqual(improved + worsened);
      const back = compareExams(to, from);
      expect([back.improved, back.worsened]).toEqual([worsened, improved]);
      expect(back.depthChange + depthChange).toBeCloseTo(0, 1);
      expect(back.attachmentChange + attachmentChange).toBeCloseTo(0, 1);
      expect(compareExams(from, from)).toMatchObject({ improved: 0, worsened: 0, changes: [], depthChange: 0 });
    }),
  );
});
