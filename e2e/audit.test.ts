// The audit log through the public API: one list for admins of the changes and the reads of national ids in all services.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { apiAt, type Body, expectStatus } from './api.ts';
import { addDoctor, addPatient, book, booking, type Clinic, freshEmail, newClinic, PASSWORD } from './clinic.ts';

const api = apiAt(publicApi());
const DUI = '00016297-5';

let clinic: Clinic;
let patient: Body;
let appointment: Body;
beforeAll(async () => {
  clinic = await newClinic(api);
  patient = await addPatient(api, clinic, { fullName: 'Beatriz Quijano', dui: DUI });
  await expectStatus(200, api.get(`/api/patients/${patient.id}`, { token: clinic.token, headers: { 'X-Request-Id': 'reading-beatriz' } }));
  await expectStatus(200, api.patch(`/api/patients/${patient.id}`, { address: 'Calle Arce 12' }, clinic));
  appointment = await book(api, clinic, booking((await addDoctor(api, clinic)).id, '08:00'));
  await expectStatus(200, api.patch('/api/clinics/settings', { city: 'Apopa' }, clinic));
});

const list = async (query = ''): Promise<Body> => (await expectStatus(200, api.get(`/api/audit-log${query}`, clinic))).body;

test('lists who did what, when and from where, newest first, over all services', async () => {
  const { entries, total, page, limit } = await list();
  expect([total, page, limit]).toEqual([entries.length, 1, 50]);
  expect(entries.map(({ at }: Body) => at)).toEqual(
    entries
      .map(({ at }: Body) => at)
      .toSorted()
      .toReversed(),
  );
  expect(new Set(entries.map(({ service }: Body) => service))).toEqual(new Set(['identity', 'scheduling']));
  const reads = entries.filter(({ action }: Body) => action === 'patient.dui_read');
  expect(reads).toHaveLength(2); // the response to the change contains the DUI too
  expect(reads[1]).toEqual({
    id: expect.any(String),
    at: expect.stringMatching(/Z$/),
    service: 'scheduling',
    actor_kind: 'user',
    actor_id: clinic.session.user.id,
    actor_name: 'Ana Morales',
    action: 'patient.dui_read',
    entity: 'patient',
    entity_id: patient.id,
    ip: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
    request_id: 'reading-beatriz',
    changes: [],
  });
  expect(entries.find(({ entity_id, action }: Body) => entity_id === patient.id && action === 'patient.updated').changes).toContainEqual({
    field: 'address',
    from: null,
    to: '***',
  });
  expect(entries.some(({ entity_id }: Body) => entity_id === appointment.id)).toBe(true);
});

test('contains no personal data', async () => {
  const { text } = await expectStatus(200, api.get('/api/audit-log?limit=500', clinic));
  for (const personal of ['Beatriz', 'Quijano', DUI, 'Arce', patient.phone]) expect(text).not.toContain(personal);
});

test('is filtered and paged', async () => {
  const { total } = await list();
  const first = await list('?limit=2');
  const second = await list('?limit=2&page=2');
  expect([first.total, first.entries.length]).toEqual([total, 2]);
  expect(new Set([...first.entries, ...second.entries].map(({ id }: Body) => id)).size).toBe(4);
  const walked: Body[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await list(`?limit=3${cursor && `&cursor=${cursor}`}`);
    expect(answer.total).toBe(total);
    walked.push(...answer.entries);
    cursor = answer.next_cursor;
  }
  expect(walked).toEqual((await list('?limit=500')).entries);
  const only = async (query: string) => (await list(query)).entries.map(({ action }: Body) => action);
  for (const name of ['patient.dui_read', 'read_dui']) expect(await only(`?action=${name}`)).toEqual(['patient.dui_read', 'patient.dui_read']);
  expect(new Set(await only(`?entity_id=${patient.id}`))).toEqual(new Set(['patient.created', 'patient.dui_read', 'patient.updated']));
  expect(await only('?actor=nobody')).toEqual([]);
  expect(await only('?to=2020-01-01T00:00:00Z')).toEqual([]);
  expect(await only('?from=2020-01-01T00:00:00Z&entity=clinic')).toEqual(['clinic.updated', 'clinic.registered']);
  for (const query of [
    '?action=nope',
    '?entity=nope',
    '?from=yesterday',
    '?limit=501',
    '?page=0',
    '?page=101',
    '?cursor=x',
    '?cursor=',
    '?actor=',
    '?entity_id=%20',
    '?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
  ])
    expect(await api.get(`/api/audit-log${query}`, clinic)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
});

test('is also available as a file for spreadsheets', async () => {
  const answer = await expectStatus(200, api.get('/api/audit-log.csv?action=patient.dui_read', clinic));
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toContain('audit-log.csv');
  const [header, ...lines] = answer.text.trim().split('\r\n');
  expect(header).toMatch(/"at","service","actor_kind",/);
  expect(lines).toEqual([1, 2].map(() => expect.stringContaining(`,"patient.dui_read","patient","${patient.id}",`)));
});

test('is for admins only, and contains only their clinic', async () => {
  const { email } = (await expectStatus(201, api.post('/api/users', { fullName: 'Carla', email: freshEmail(), password: PASSWORD }, clinic))).body;
  const { access_token: token } = (await expectStatus(200, api.post('/api/auth/login', { email, password: PASSWORD }))).body;
  for (const path of ['/api/audit-log', '/api/audit-log.csv'])
    expect(await api.get(path, { token })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  const otherClinic = await newClinic(api);
  const { text } = await expectStatus(200, api.get('/api/audit-log?limit=500', otherClinic));
  expect(text).not.toContain(patient.id);
});
