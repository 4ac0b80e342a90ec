// Recall campaigns through the public API.
import { randomUUID } from 'node:crypto';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { dentalRecall } from '../gateway/routes/dental-recall.ts';
import { apiAt, type Body, freshKey } from './api.ts';
import { addPatient, type Clinic, newClinic } from './clinic.ts';
import { named, pathOf } from './rows.ts';

const api = apiAt(publicApi());
const campaigns = '/api/dental/recall-campaigns';
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const failure = (status: number, code: string, error: unknown = expect.any(String)) => ({ status, body: { error, code } });

let clinic: Clinic;
let other: Clinic;
beforeAll(async () => {
  [clinic, other] = await Promise.all([newClinic(api), newClinic(api)]);
});
const add = (given: Body = {}, extra: Body = clinic) => api.post(campaigns, { name: 'Limpieza', message_template: 'Hola {nombre}', ...given }, extra);

test('a campaign shows every field', async () => {
  const made = await add();
  expect(made.status).toBe(201);
  const campaign = {
    id: UUID,
    clinic_id: clinic.id,
    name: 'Limpieza',
    procedure_type: null,
    recall_interval_days: 180,
    message_template: 'Hola {nombre}',
    send_time: '09:00:00',
    max_attempts: 2,
    retry_interval_days: 7,
    is_active: true,
    created_at: INSTANT,
    updated_at: INSTANT,
  };
  expect(made.body).toEqual(campaign);
  expect((await api.get(`${campaigns}/${made.body.id}`, clinic)).body).toEqual({ ...made.body, recent_contacts: [] });
  expect((await api.get(campaigns, clinic)).body.campaigns).toContainEqual(made.body);
});

test('a campaign is changed, deactivated, and created once with one idempotency key', async () => {
  const { id } = (await add({ procedure_type: 'limpieza', send_time: '14:30:00', max_attempts: 5, recall_interval_days: 90 })).body;
  const changed = await api.patch(`${campaigns}/${id}`, { name: 'Control', procedure_type: null }, clinic);
  expect(changed).toMatchObject({ status: 200, body: { name: 'Control', procedure_type: null, send_time: '14:30:00', max_attempts: 5 } });
  expect(await api.patch(`${campaigns}/${id}`, {}, clinic)).toMatchObject(failure(400, 'VALIDATION_ERROR'));
  expect((await api.delete(`${campaigns}/${id}`, clinic)).body).toMatchObject({ id, is_active: false });
  const key = { ...clinic, headers: freshKey() };
  expect((await add({ name: 'Uno' }, key)).body.id).toBe((await add({ name: 'Uno' }, key)).body.id);
});

test.each<[string, string, Body]>([
  ['an unknown variable', 'INVALID_TEMPLATE_VARS', { message_template: 'Hola {apellido}' }],
  ['half a variable', 'INVALID_TEMPLATE_VARS', { message_template: 'Hola {nombre' }],
  ['no message', 'VALIDATION_ERROR', { message_template: '' }],
  ['no name', 'VALIDATION_ERROR', { name: undefined }],
  ['six attempts', 'VALIDATION_ERROR', { max_attempts: 6 }],
  ['an hour that there is not', 'VALIDATION_ERROR', { send_time: '24:00:00' }],
  ['half a day', 'VALIDATION_ERROR', { recall_interval_days: 0.5 }],
])('%s is refused', async (_name, code, body) => {
  expect(await add(body)).toMatchObject(failure(400, code));
});

test('contacts and eligible patients are paged', async () => {
  const { id } = (await add()).body;
  expect((await api.get(`${campaigns}/${id}/contacts`, clinic)).body).toEqual({ contacts: [], total: 0, page: 1, limit: 20 });
  expect((await api.get(`${campaigns}/${id}/eligible`, clinic)).body).toEqual({ patients: [], total: 0, page: 1, limit: 50 });
  for (const query of ['limit=101', 'limit=0', 'page=0']) {
    expect(await api.get(`${campaigns}/${id}/contacts?${query}`, clinic)).toMatchObject(failure(400, 'VALIDATION_ERROR'));
  }
});

test('a patient who opts out is shown as opted out, is counted this month, and stays opted out', async () => {
  const patient = await addPatient(api, clinic);
  const path = `/api/dental/patients/${patient.id}/recall-opt-out`;
  expect(await api.patch(path, undefined, other)).toMatchObject(failure(404, 'NOT_FOUND', 'Patient not found'));
  expect(await api.patch(path, undefined, clinic)).toMatchObject({ status: 200, body: { id: patient.id, recall_opted_out: true } });
  expect(await api.patch(path, undefined, clinic)).toMatchObject({ status: 200, body: { recall_opted_out: true } });
  await waitFor(async () => {
    const { body } = await api.get('/api/dental/recall-stats', clinic);
    expect(body).toEqual({ sent_this_month: 0, responded: 0, opted_out: 1, response_rate: 0, booked: 0 });
  });
});

test('a campaign of another clinic is not found', async () => {
  const { id } = (await add()).body;
  const missing = failure(404, 'NOT_FOUND', 'Campaign not found');
  for (const named of [id, randomUUID(), 'none']) {
    expect(await api.get(`${campaigns}/${named}`, other)).toMatchObject(missing);
    expect(await api.patch(`${campaigns}/${named}`, { name: 'Mía' }, other)).toMatchObject(missing);
    expect(await api.delete(`${campaigns}/${named}`, other)).toMatchObject(missing);
    expect(await api.get(`${campaigns}/${named}/contacts`, other)).toMatchObject(missing);
    expect(await api.get(`${campaigns}/${named}/eligible`, other)).toMatchObject(missing);
  }
});

describe('the feature check', () => {
  let basic: Clinic;
  let medical: Clinic;
  beforeAll(async () => {
    [basic, medical] = await Promise.all([newClinic(api, { plan: 'basic' }), newClinic(api, { registration: { clinicType: 'medical' } })]);
  });
  test.each(named(dentalRecall.routes))('%s is for dental clinics whose plan has it', async (_name, row) => {
    const path = pathOf(row, () => randomUUID());
    expect(await api.send(row.method.toUpperCase(), path, undefined, basic)).toMatchObject(failure(403, 'PLAN_UPGRADE_REQUIRED'));
    expect(await api.send(row.method.toUpperCase(), path, undefined, medical)).toMatchObject(failure(403, 'DENTAL_CLINIC_REQUIRED'));
    expect(await api.send(row.method.toUpperCase(), path)).toMatchObject(failure(401, 'UNAUTHENTICATED'));
  });
});
