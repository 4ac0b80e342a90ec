// Charts on a real database: entries, corrections, history, earlier charts, dentition and SVG.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Dental, MONDAY, type Patient, startDental } from '../testing/dental-service.ts';

let s: Dental;
let clinicId: string;
let patient: Patient;
beforeAll(async () => {
  s = await startDental();
});
afterAll(() => s.stop());
beforeEach(() => {
  s.clock.set(MONDAY);
  clinicId = randomUUID();
  patient = s.patient(clinicId);
});

type Input = { tooth: number; finding: string; status?: string; surfaces?: string[]; teeth?: number[]; pontics?: number[]; replaces?: string; notes?: string };
const add = (input: Input, key?: string) =>
  s.charts.addChartEntry({ patientId: patient.id, status: 'existing', ...input }, s.asUser(clinicId, key ? { key } : {}));
const current = (at?: string) => s.charts.getChart({ patientId: patient.id, ...(at && { at }) }, s.asUser(clinicId));
const history = (page = 1, limit = 50) => s.charts.getChartHistory({ patientId: patient.id, page, limit }, s.asUser(clinicId));

describe('an entry', () => {
  test('returns the rebuilt chart', async () => {
    await add({ tooth: 16, finding: 'caries', surfaces: ['o', 'M'], notes: ' profunda ' });
    const chart = await add({ tooth: 11, finding: 'crown', status: 'planned' });
    expect(chart).toMatchObject({
      patientId: patient.id,
      dentition: 'adult',
      teeth: [
        { tooth: 11, findings: [{ finding: 'crown', status: 'planned', surfaces: [], teeth: [11] }] },
        { tooth: 16, findings: [{ finding: 'caries', status: 'existing', surfaces: ['M', 'O'], notes: 'profunda' }] },
      ],
    });
    expect(await current()).toEqual(chart);
  });

  test('of a bridge covers all teeth between its ends; missing teeth are pontics', async () => {
    await add({ tooth: 14, finding: 'missing' });
    const { teeth } = await add({ tooth: 13, finding: 'bridge', teeth: [13, 16] });
    const roles = teeth.flatMap(({ tooth, findings }) => findings.filter(({ finding }) => finding === 'bridge').map(({ role }) => `${tooth} ${role}`));
    expect(roles).toEqual(['13 abutment', '14 pontic', '15 abutment', '16 abutment']);
  });

  test.each<[string, Input, string]>([
    ['a tooth that FDI does not know', { tooth: 19, finding: 'caries' }, 'tooth'],
    ['an unknown finding', { tooth: 16, finding: 'plague' }, 'finding'],
    ['an unknown status', { tooth: 16, finding: 'caries', status: 'done' }, 'status'],
    ['an occlusal surface on a front tooth', { tooth: 11, finding: 'caries', surfaces: ['O'] }, 'surfaces'],
    ['a palate below', { tooth: 46, finding: 'caries', surfaces: ['P'] }, 'surfaces'],
    ['surfaces of a crown', { tooth: 16, finding: 'crown', surfaces: ['O'] }, 'surfaces'],
    ['a bridge over both arches', { tooth: 16, finding: 'bridge', teeth: [16, 46] }, 'teeth'],
    ['a bridge elsewhere', { tooth: 16, finding: 'bridge', teeth: [13, 15] }, 'teeth'],
    ['caries over several teeth', { tooth: 16, finding: 'caries', teeth: [16, 17] }, 'teeth'],
    ['pontics of a crown', { tooth: 16, finding: 'crown', pontics: [16] }, 'pontics'],
    ['notes without end', { tooth: 16, finding: 'caries', notes: 'x'.repeat(2001) }, 'notes'],
  ])('with %s is rejected with the name of the field', async (_name, input, path) => {
    await expect(add(input)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
    expect((await history()).total).toBe(0);
  });

  test('is created once per key', async () => {
    const first = await add({ tooth: 16, finding: 'caries' }, 'k1');
    expect(await add({ tooth: 16, finding: 'caries' }, 'k1')).toEqual(first);
    expect((await history()).total).toBe(1);
  });

  test('has the same response when it is repeated after later entries', async () => {
    const early = (await add({ tooth: 16, finding: 'caries', surfaces: ['M'] })).teeth[0]?.findings[0]?.id ?? '';
    const first = await add({ tooth: 11, finding: 'crown', status: 'planned', notes: 'temporal' }, 'k2');
    await add({ tooth: 16, finding: 'caries', surfaces: ['D'], replaces: early });
    await add({ tooth: 11, finding: 'missing' });
    expect(await add({ tooth: 11, finding: 'crown', status: 'planned', notes: 'temporal' }, 'k2')).toEqual(first);
  });
});

describe('corrections', () => {
  test('are entries, and the history shows both', async () => {
    const wrong = (await add({ tooth: 11, finding: 'caries', surfaces: ['M'] })).teeth[0]?.findings[0]?.id ?? '';
    expect((await add({ tooth: 12, finding: 'caries', surfaces: ['M'], replaces: wrong })).teeth.map(({ tooth }) => tooth)).toEqual([12]);
    const { entries, total } = await history();
    expect(total).toBe(2);
    expect(entries).toMatchObject([
      { number: 2, replaces: wrong },
      { number: 1, tooth: 11, replacedBy: entries[0]?.id },
    ]);
    await expect(add({ tooth: 13, finding: 'caries', replaces: wrong })).rejects.toMatchObject({ reason: 'CONFLICT' });
    await expect(add({ tooth: 13, finding: 'caries', replaces: randomUUID() })).rejects.toMatchObject({ message: 'Chart entry not found' });
  });

  test('of one entry by concurrent requests succeed once', async () => {
    const id = (await add({ tooth: 11, finding: 'caries' })).teeth[0]?.findings[0]?.id ?? '';
    const voids = Array.from({ length: 8 }, () => s.charts.voidChartEntry({ patientId: patient.id, entryId: id, reason: 'otro diente' }, s.asUser(clinicId)));
    const settled = await Promise.allSettled(voids);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await current()).teeth).toEqual([]);
    const { entries } = await history();
    expect(entries).toMatchObject([{ kind: 'void', notes: 'otro diente' }, { kind: 'finding' }]);
    await expect(add({ tooth: 11, finding: 'caries', replaces: entries[0]?.id ?? '' })).rejects.toMatchObject({ reason: 'CONFLICT' });
  });

  test('cannot be made by updating an entry', async () => {
    await add({ tooth: 11, finding: 'caries' });
    const request = new pg.Client({ connectionString: s.service.database.urls('dental').DATABASE_URL });
    await request.connect();
    try {
      await request.query('begin');
      await request.query(`set local search_path = dental; set local app.clinic_id = '${clinicId}'`);
      await expect(request.query(`update chart_entries set status = 'treated'`)).rejects.toThrow('permission denied');
    } finally {
      await request.end();
    }
  });
});

test('20 concurrent entries are numbered 1 to 20', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, index) => add({ tooth: 11 + (index % 8), finding: 'caries' })));
  const { entries, total } = await history(1, 500);
  expect([total, entries.map(({ number }) => number).sort((a, b) => a - b)]).toEqual([20, Array.from({ length: 20 }, (_, index) => index + 1)]);
  expect((await history(2, 7)).entries).toHaveLength(7);
});

test('the chart as of a day is the chart at the end of that day in the time zone of the clinic', async () => {
  await add({ tooth: 16, finding: 'caries', surfaces: ['O'] });
  s.clock.set(new Date('2026-06-03T05:30:00Z')); // 23:30 on 2 June in San Salvador
  await add({ tooth: 16, finding: 'filling_resin', status: 'treated', surfaces: ['O'] });
  const findings = async (at?: string) => (await current(at)).teeth.flatMap(({ findings }) => findings.map(({ finding }) => finding));
  expect(await findings('2026-05-31')).toEqual([]);
  expect(await findings('2026-06-01')).toEqual(['caries']);
  expect(await findings('2026-06-02')).toEqual(['filling_resin']);
  expect(await findings('2026-06-03T05:29:59Z')).toEqual(['caries']);
  expect(await findings()).toEqual(['filling_resin']);
  await expect(current('yesterday')).rejects.toMatchObject({ details: [{ path: 'at' }] });
});

describe('dentition', () => {
  test('is inferred from age and chart unless a user set it', async () => {
    const dentition = async () => (await current()).dentition;
    expect(await dentition()).toBe('adult');
    await add({ tooth: 55, finding: 'caries' });
    expect(await dentition()).toBe('child');
    await add({ tooth: 16, finding: 'sealant' });
    expect(await dentition()).toBe('mixed');
    const set = (value: string) => s.charts.setDentition({ patientId: patient.id, dentition: value }, s.asUser(clinicId));
    expect((await set('adult')).dentition).toBe('adult');
    expect((await set('auto')).dentition).toBe('mixed');
    await expect(set('baby')).rejects.toMatchObject({ details: [{ path: 'dentition' }] });
  });
  test('that is set again as it is adds no entry, also by concurrent requests', async () => {
    const set = (dentition: string) => s.charts.setDentition({ patientId: patient.id, dentition }, s.asUser(clinicId));
    const entries = async () => (await s.charts.getChartHistory({ patientId: patient.id }, s.asUser(clinicId))).entries.map(({ dentition }) => dentition);
    await set('auto');
    expect(await entries()).toEqual([]);
    const charts = await Promise.all(Array.from({ length: 5 }, () => set('mixed')));
    expect(charts.map(({ dentition }) => dentition)).toEqual(Array(5).fill('mixed'));
    await set('auto');
    expect(await entries()).toEqual(['auto', 'mixed']);
  });
  test.each([
    ['2022-06-02', 'child'],
    ['2020-06-01', 'mixed'],
    ['2013-06-02', 'mixed'],
    ['2013-06-01', 'adult'],
  ])('of a patient born on %s is %s', async (birthDate, dentition) => {
    patient = s.patient(clinicId, { birthDate });
    expect((await current()).dentition).toBe(dentition);
  });
  test('changes on the birthday in the zone of the clinic', async () => {
    patient = s.patient(clinicId, { birthDate: '2020-06-02' });
    s.clock.set(new Date('2026-06-02T05:59:59Z'));
    expect([(await current()).dentition, (await current('2026-06-01')).dentition]).toEqual(['child', 'child']);
    s.clock.set(new Date('2026-06-02T06:00:00Z'));
    expect([(await current()).dentition, (await current('2026-06-01')).dentition]).toEqual(['mixed', 'child']);
  });
});

test('the SVG shows the chart, and its ETag changes with the chart', async () => {
  const draw = (at?: string) => s.charts.drawChart({ patientId: patient.id, ...(at && { at }) }, s.asUser(clinicId));
  const empty = await draw();
  await add({ tooth: 16, finding: 'caries', surfaces: ['O'], status: 'planned' });
  const file = await draw();
  const svg = Buffer.from(file.content).toString();
  expect(file.contentType).toBe('image/svg+xml');
  expect(svg).toContain('<title>16: Caries (oclusal), planificado</title>');
  expect(svg.match(/<polygon/g)?.length).toBe(32 * 5 + 2); // a fill and an outline
  expect(file.etag).not.toBe(empty.etag);
});

test('the SVG is red and blue for a clinic that chose so, and an admin chooses', async () => {
  await add({ tooth: 16, finding: 'caries', surfaces: ['O'] });
  const draw = async () => Buffer.from((await s.charts.drawChart({ patientId: patient.id }, s.asUser(clinicId))).content).toString();
  expect(await draw()).toContain('#D55E00');
  await expect(s.charts.updateChartSettings({ chartColors: 'red_blue' }, s.asUser(clinicId))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  await expect(s.charts.updateChartSettings({ chartColors: 'grey' }, s.asAdmin(clinicId))).rejects.toMatchObject({ details: [{ path: 'chart_colors' }] });
  expect(await s.charts.updateChartSettings({ chartColors: 'red_blue' }, s.asAdmin(clinicId))).toMatchObject({ chartColors: 'red_blue' });
  expect(await s.charts.getChartSettings({}, s.asUser(clinicId))).toMatchObject({ chartColors: 'red_blue' });
  expect(await draw()).toContain('#C81E1E');
  expect(await draw()).not.toContain('#D55E00');
  expect(await s.charts.getChartSettings({}, s.asUser(randomUUID()))).toMatchObject({ chartColors: 'standard' });
});

test('charts of another clinic are not found', async () => {
  await add({ tooth: 16, finding: 'caries' });
  const id = (await history()).entries[0]?.id ?? '';
  const otherClinic = s.asUser(randomUUID());
  const missing = { reason: 'NOT_FOUND', message: 'Patient not found' };
  for (const patientId of [patient.id, randomUUID(), 'none']) {
    await expect(s.charts.getChart({ patientId }, otherClinic)).rejects.toMatchObject(missing);
    await expect(s.charts.getChartHistory({ patientId }, otherClinic)).rejects.toMatchObject(missing);
    await expect(s.charts.drawChart({ patientId }, otherClinic)).rejects.toMatchObject(missing);
    await expect(s.charts.addChartEntry({ patientId, tooth: 11, finding: 'caries', status: 'existing' }, otherClinic)).rejects.toMatchObject(missing);
    await expect(s.charts.voidChartEntry({ patientId, entryId: id }, otherClinic)).rejects.toMatchObject(missing);
    await expect(s.charts.setDentition({ patientId, dentition: 'child' }, otherClinic)).rejects.toMatchObject(missing);
  }
  expect((await history()).total).toBe(1);
});
