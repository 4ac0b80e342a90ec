// Periodontal exams on a real database: stored, listed, compared and drawn.
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

const exam = (depth: number, given: object = {}) => ({
  teeth: [
    { tooth: 26, mobility: 1, sites: [{ site: 'MV', depth, recession: 1, bleeding: depth > 3, plaque: true }] },
    { tooth: 16, furcation: [{ side: 'V', grade: 2 }], sites: [{ site: 'V', depth: 2, suppuration: true }] },
  ],
  ...given,
});
const add = (given: object) => s.periodontics.addPeriodontalExam({ patientId: patient.id, ...given }, s.asUser(clinicId));
const compare = (from: string, to: string) => s.periodontics.comparePeriodontalExams({ patientId: patient.id, from, to }, s.asUser(clinicId));

test('an exam is returned as it was measured, with its indexes, and listed without its teeth', async () => {
  const made = await add(exam(6, { notes: 'Primera visita' }));
  expect(made).toMatchObject({
    examDate: '2026-06-01',
    bleedingIndex: 50,
    plaqueIndex: 50,
    meanDepth: 4,
    meanAttachmentLoss: 4.5,
    sitesMeasured: 2,
    sitesFrom6mm: 1,
    notes: 'Primera visita',
    teeth: [
      { tooth: 16, furcation: [{ side: 'V', grade: 2 }], sites: [{ site: 'V', suppuration: true }] },
      { tooth: 26, mobility: 1 },
    ],
  });
  expect(await s.periodontics.getPeriodontalExam({ patientId: patient.id, examId: made.id }, s.asUser(clinicId))).toEqual(made);
  await add(exam(4, { examDate: '2026-05-01' }));
  const { exams, total } = await s.periodontics.listPeriodontalExams({ patientId: patient.id }, s.asUser(clinicId));
  expect([total, exams.map(({ examDate, teeth }) => [examDate, teeth.length])]).toEqual([
    2,
    [
      ['2026-06-01', 0],
      ['2026-05-01', 0],
    ],
  ]);
});

test('two exams are compared by id or by day', async () => {
  const first = await add(exam(6, { examDate: '2026-01-15' }));
  const second = await add(exam(3, { examDate: '2026-05-15' }));
  const expected = { bleedingChange: -50, plaqueChange: 0, depthChange: -1.5, attachmentChange: -1.5, improved: 1, worsened: 0, unchanged: 1 };
  expect(await compare(first.id, second.id)).toMatchObject({
    ...expected,
    from: { id: first.id, teeth: [] },
    to: { id: second.id },
    changes: [{ tooth: 26, site: 'MV', depthFrom: 6, depthTo: 3, recessionFrom: 1, recessionTo: 1 }],
  });
  expect(await compare('2026-02-01', '2026-06-01')).toMatchObject(expected);
  await expect(compare('2026-01-14', second.id)).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Periodontal exam not found' });
  await expect(compare('soon', second.id)).rejects.toMatchObject({ details: [{ path: 'from' }] });
});

describe('an exam', () => {
  test('must not be in the future nor without teeth', async () => {
    await expect(add(exam(2, { examDate: '2026-06-02' }))).rejects.toMatchObject({ details: [{ path: 'exam_date' }] });
    await expect(add({ teeth: [] })).rejects.toMatchObject({ details: [{ path: 'teeth' }] });
  });

  test('is created once per key', async () => {
    const call = () => s.periodontics.addPeriodontalExam({ patientId: patient.id, ...exam(3) }, s.asUser(clinicId, { key: 'once' }));
    expect((await call()).id).toBe((await call()).id);
  });

  test('is drawn as an SVG', async () => {
    const { id } = await add(exam(6));
    const file = await s.periodontics.drawPeriodontalExam({ patientId: patient.id, examId: id }, s.asUser(clinicId));
    expect(file.contentType).toBe('image/svg+xml');
    expect(Buffer.from(file.content).toString()).toContain('<title>26: MV 6 mm, recesión 1 mm, sangra, placa</title>');
  });

  test('cannot be changed, not even by the request role', async () => {
    await add(exam(6));
    const request = new pg.Client({ connectionString: s.service.database.urls('dental').DATABASE_URL });
    await request.connect();
    try {
      await expect(request.query(`update dental.periodontal_exams set notes = 'x'`)).rejects.toThrow('permission denied');
      await expect(request.query('delete from dental.periodontal_exams')).rejects.toThrow('permission denied');
    } finally {
      await request.end();
    }
  });

  test('of another clinic is not found', async () => {
    const { id } = await add(exam(6));
    const otherClinic = s.asUser(randomUUID());
    const named = { patientId: patient.id, examId: id };
    await expect(s.periodontics.getPeriodontalExam(named, otherClinic)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(s.periodontics.drawPeriodontalExam(named, otherClinic)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(s.periodontics.listPeriodontalExams(named, otherClinic)).rejects.toMatchObject({ message: 'Patient not found' });
    await expect(s.periodontics.comparePeriodontalExams({ ...named, from: id, to: id }, otherClinic)).rejects.toMatchObject({ message: 'Patient not found' });
    await expect(s.periodontics.addPeriodontalExam({ ...named, ...exam(3) }, otherClinic)).rejects.toMatchObject({ message: 'Patient not found' });
  });
});
