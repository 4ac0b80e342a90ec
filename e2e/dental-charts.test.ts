// Charts and periodontal exams through the public API.
import { randomUUID } from 'node:crypto';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { dentalCharts } from '../gateway/routes/dental-charts.ts';
import { apiAt, type Body, expectStatus, freshKey } from './api.ts';
import { addPatient, type Clinic, newClinic } from './clinic.ts';
import { named, pathOf } from './rows.ts';

const api = apiAt(publicApi());
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const failure = (status: number, code: string, error: unknown = expect.any(String)) => ({ status, body: { error, code } });

let clinic: Clinic;
let other: Clinic;
let patient: Body;
let charts: string;
beforeAll(async () => {
  [clinic, other] = await Promise.all([newClinic(api), newClinic(api)]);
});
beforeEach(async () => {
  patient = await addPatient(api, clinic);
  charts = `/api/dental/charts/${patient.id}`;
});
const chart = (entry: Body) => api.post(`${charts}/entries`, { status: 'existing', ...entry }, clinic);

describe('a chart', () => {
  test('is empty at first, and then has all fields of its entries', async () => {
    expect((await api.get(`${charts}/current`, clinic)).body).toEqual({ patient_id: patient.id, dentition: 'adult', teeth: [], updated_at: null, alerts: [] });
    const charted = await chart({ tooth: 16, surfaces: ['M', 'O'], finding: 'caries', notes: 'Profunda' });
    expect(charted.status).toBe(201);
    expect(charted.body).toEqual({
      patient_id: patient.id,
      dentition: 'adult',
      teeth: [
        {
          tooth: 16,
          findings: [
            { id: UUID, finding: 'caries', status: 'existing', surfaces: ['M', 'O'], teeth: [16], role: null, notes: 'Profunda', recorded_at: INSTANT },
          ],
        },
      ],
      updated_at: INSTANT,
      alerts: [],
    });
    expect((await api.get(`${charts}/current`, clinic)).body).toEqual(charted.body);
    expect((await api.get(`${charts}/current?at=2020-01-01`, clinic)).body.teeth).toEqual([]);
  });

  test('is corrected by entries, which remain in the history', async () => {
    const { body } = await chart({ tooth: 16, finding: 'crown' });
    const { id } = body.teeth[0].findings[0];
    const corrected = await chart({ tooth: 17, finding: 'crown', status: 'planned', replaces: id });
    expect(corrected.body.teeth.map((one: Body) => one.tooth)).toEqual([17]);
    const entry = corrected.body.teeth[0].findings[0].id;
    expect((await api.send('DELETE', `${charts}/entries/${entry}`, { reason: 'Otro paciente' }, clinic)).body.teeth).toEqual([]);
    expect(await api.delete(`${charts}/entries/${entry}`, clinic)).toMatchObject(failure(409, 'CONFLICT'));
    const history = (await api.get(`${charts}/history?limit=2`, clinic)).body;
    expect(history).toMatchObject({
      total: 3,
      page: 1,
      limit: 2,
      entries: [
        { kind: 'void', tooth: null },
        { tooth: 17, replaces: id },
      ],
    });
    expect(history.entries[0].recorded_by).toBe(clinic.session.user.id);
  });

  test('is created once with one idempotency key', async () => {
    const key = { ...clinic, headers: freshKey() };
    const entry = { tooth: 11, finding: 'caries', status: 'existing' };
    const [first, again] = [await api.post(`${charts}/entries`, entry, key), await api.post(`${charts}/entries`, entry, key)];
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect((await api.get(`${charts}/history`, clinic)).body.total).toBe(1);
  });

  test('is rendered as a picture, with 304 for a client that already has it', async () => {
    await chart({ tooth: 16, surfaces: ['O'], finding: 'filling_resin', status: 'treated' });
    const picture = await api.get(`${charts}/current.svg`, clinic);
    expect(picture.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
    expect(picture.text).toContain('<title>16: Obturación de resina (oclusal), realizado</title>');
    const etag = picture.headers.get('etag') ?? '';
    expect(etag).not.toBe('');
    expect((await api.get(`${charts}/current.svg`, { ...clinic, headers: { 'If-None-Match': etag } })).status).toBe(304);
  });

  test('has the dentition that was set', async () => {
    expect((await api.put(`${charts}/dentition`, { dentition: 'mixed' }, clinic)).body.dentition).toBe('mixed');
    const svg = (await api.get(`${charts}/current.svg`, clinic)).text;
    expect([svg.includes('<title>55: sin hallazgos</title>'), svg.includes('<title>18: sin hallazgos</title>')]).toEqual([true, true]);
  });

  test.each<[string, Body]>([
    ['tooth', { tooth: 19, finding: 'caries' }],
    ['tooth', { tooth: '16', finding: 'caries' }],
    ['finding', { tooth: 16, finding: 'plague' }],
    ['surfaces', { tooth: 11, finding: 'caries', surfaces: ['O'] }],
    ['surfaces.0', { tooth: 16, finding: 'caries', surfaces: ['Z'] }],
    ['status', { tooth: 16, finding: 'caries', status: 'done' }],
    ['replaces', { tooth: 16, finding: 'caries', replaces: '1' }],
  ])('refuses a wrong %s', async (path, entry) => {
    const answer = await chart(entry);
    expect(answer).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(answer.body.details.map((one: Body) => one.path)).toContain(path);
  });
});

test('a finding of the catalogue has a Spanish and an English name and a colour', async () => {
  const { status, body } = await api.get('/api/dental/findings', clinic);
  expect(status).toBe(200);
  expect(body.findings).toContainEqual({
    code: 'caries',
    name_es: 'Caries',
    name_en: 'Caries',
    color: '#E74C3C',
    extent: 'surfaces',
    urgency: 2,
    procedure: 'filling_resin',
    is_problem: true,
  });
});

describe('a periodontal exam', () => {
  const exam = (depth: number, given: Body = {}) =>
    api.post(
      `${charts}/periodontics`,
      { teeth: [{ tooth: 16, mobility: 1, sites: [{ site: 'MV', depth, recession: 1, bleeding: depth > 3 }] }], ...given },
      clinic,
    );

  test('is stored, listed, compared and rendered', async () => {
    const first = await exam(6, { exam_date: '2026-01-15' });
    expect(first).toMatchObject({
      status: 201,
      body: { exam_date: '2026-01-15', bleeding_index: 100, plaque_index: 0, mean_depth: 6, sites_from_6mm: 1, notes: null },
    });
    expect(first.body.teeth).toEqual([
      {
        tooth: 16,
        sites: [{ site: 'MV', depth: 6, recession: 1, bleeding: true, plaque: false, suppuration: false }],
        mobility: 1,
        furcation: [],
      },
    ]);
    const second = await exam(3, { exam_date: '2026-05-15' });
    expect((await api.get(`${charts}/periodontics/${first.body.id}`, clinic)).body).toEqual(first.body);
    expect((await api.get(`${charts}/periodontics`, clinic)).body).toMatchObject({ total: 2, exams: [{ id: second.body.id }, { id: first.body.id }] });
    const compared = await api.get(`${charts}/periodontics/compare?from=${first.body.id}&to=2026-06-01`, clinic);
    expect(compared.body).toMatchObject({
      to: { id: second.body.id },
      bleeding_change: -100,
      depth_change: -3,
      improved: 1,
      changes: [{ tooth: 16, site: 'MV', depth_to: 3 }],
    });
    const picture = await api.get(`${charts}/periodontics/${first.body.id}.svg`, clinic);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^image\/svg\+xml/)]);
  });

  test('refuses impossible values', async () => {
    expect(await exam(16)).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(await exam(3, { exam_date: '2999-01-01' })).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(await api.get(`${charts}/periodontics/compare?from=x&to=2026-01-01`, clinic)).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(await api.get(`${charts}/periodontics/${randomUUID()}`, clinic)).toMatchObject(failure(404, 'NOT_FOUND', 'Periodontal exam not found'));
    expect(await api.get(`${charts}/periodontics/none.svg`, clinic)).toMatchObject(failure(404, 'NOT_FOUND', 'Periodontal exam not found'));
  });
});

test('a patient of another clinic is not found', async () => {
  for (const path of ['current', 'current.svg', 'history', 'periodontics']) {
    expect(await api.get(`${charts}/${path}`, other)).toMatchObject(failure(404, 'NOT_FOUND', 'Patient not found'));
    expect(await api.get(`/api/dental/charts/none/${path}`, clinic)).toMatchObject(failure(404, 'NOT_FOUND', 'Patient not found'));
  }
  expect(await api.post(`${charts}/entries`, { tooth: 16, finding: 'caries', status: 'existing' }, other)).toMatchObject(
    failure(404, 'NOT_FOUND', 'Patient not found'),
  );
});

test('nothing is stored for a record that was merged into another one: the error names that one', async () => {
  const [keep, merged] = [await addPatient(api, clinic), await addPatient(api, clinic)];
  await expectStatus(200, api.post('/api/patients/merge', { keepId: keep.id, mergeId: merged.id }, clinic));
  const record = `/api/dental/charts/${merged.id}`;
  const refused = { ...failure(409, 'CONFLICT'), body: { details: [{ path: 'merged_into', message: keep.id }] } };
  for (const sent of [
    api.post(`${record}/entries`, { tooth: 16, finding: 'caries', status: 'existing' }, clinic),
    api.post(`${record}/periodontics`, { teeth: [{ tooth: 16, sites: [] }] }, clinic),
    api.put(`${record}/dentition`, { dentition: 'mixed' }, clinic),
    api.post(`/api/dental/treatment-plans/${merged.id}/generate-plan`, undefined, clinic),
    api.post('/api/dental/treatment-plans', { patient_id: merged.id, title: 'Plan' }, clinic),
    api.post('/api/dental/payment-plans', { patient_id: merged.id, description: 'Plan', total_amount: 10 }, clinic),
  ])
    expect(await sent).toMatchObject(refused);
});

test('reads by the id of a merged record show what the remaining patient has', async () => {
  const [keep, merged] = [await addPatient(api, clinic), await addPatient(api, clinic)];
  await expectStatus(201, api.post(`/api/dental/charts/${keep.id}/entries`, { tooth: 16, finding: 'caries', status: 'existing' }, clinic));
  await expectStatus(200, api.post('/api/patients/merge', { keepId: keep.id, mergeId: merged.id }, clinic));
  for (const pathOfPatient of [
    (id: string) => `/api/dental/charts/${id}/current`,
    (id: string) => `/api/dental/charts/${id}/history`,
    (id: string) => `/api/dental/charts/${id}/periodontics`,
    (id: string) => `/api/patients/${id}/balance`,
    (id: string) => `/api/patients/${id}/tax-profile`,
  ]) {
    const { body } = await expectStatus(200, api.get(pathOfPatient(keep.id), clinic));
    expect(await expectStatus(200, api.get(pathOfPatient(merged.id), clinic))).toMatchObject({ body });
  }
});

describe('the feature check', () => {
  let basic: Clinic;
  let medical: Clinic;
  beforeAll(async () => {
    [basic, medical] = await Promise.all([newClinic(api, { plan: 'basic' }), newClinic(api, { registration: { clinicType: 'medical' } })]);
  });
  test.each(named(dentalCharts.routes))('%s is for dental clinics whose plan has it', async (_name, row) => {
    const path = pathOf(row, () => randomUUID());
    expect(await api.send(row.method.toUpperCase(), path, undefined, basic)).toMatchObject(failure(403, 'PLAN_UPGRADE_REQUIRED'));
    expect(await api.send(row.method.toUpperCase(), path, undefined, medical)).toMatchObject(failure(403, 'DENTAL_CLINIC_REQUIRED'));
    expect(await api.send(row.method.toUpperCase(), path)).toMatchObject(failure(401, 'UNAUTHENTICATED'));
  });
});
