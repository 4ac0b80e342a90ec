// A clinic requests a demo, an operator accepts it, and the clinic registers with the invite code.
import { spawnSync } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import path from 'node:path';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { apiAt, type Body, expectStatus, freshKey } from './api.ts';
import { freshEmail, newClinic, register } from './clinic.ts';
import { mailsTo, mailTo } from './mails.ts';
import { asOwner, secret } from './product-internals.ts';

const api = apiAt(publicApi());
const DAY_MS = 86_400_000;

async function ask(more: Body = {}): Promise<Body> {
  const body = { clinicName: 'Clínica Sol', contactName: 'Rosa Díaz', email: freshEmail(), ...more };
  const answer = await expectStatus(201, api.post('/api/demo-requests', body));
  return { ...body, ...answer.body };
}
const list = async (query = '') => (await expectStatus(200, api.get(`/api/superadmin/demo-requests${query}`, api.operator))).body;

test('a request is accepted, and the clinic registers', async () => {
  const asked = await ask({ phone: '+503 7000-1234', city: 'Santa Ana', doctorsCount: 3, message: 'hola' });
  expect(asked).toMatchObject({ status: 'pending', message: expect.any(String) });
  const pending = (await list('?status=pending')).find(({ id }: Body) => id === asked.id);
  expect(pending).toEqual({
    id: asked.id,
    clinic_name: 'Clínica Sol',
    contact_name: 'Rosa Díaz',
    email: asked.email,
    phone: '+503 7000-1234',
    city: 'Santa Ana',
    doctors_count: 3,
    message: 'hola',
    status: 'pending',
    invite_code_id: null,
    reviewed_at: null,
    created_at: expect.stringMatching(/Z$/),
  });
  const accept = () => api.post(`/api/superadmin/demo-requests/${asked.id}/accept`, undefined, api.operator);
  const answers = await Promise.all(Array.from({ length: 8 }, accept));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  const accepted = answers.find(({ status }) => status === 200)?.body;
  expect(accepted).toEqual({ message: expect.any(String), inviteCode: expect.stringMatching(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){2}$/) });
  expect(await accept()).toMatchObject({ status: 409, body: { code: 'DEMO_NOT_PENDING' } });
  const [code] = (await api.get('/api/superadmin/invite-codes', api.operator)).body.filter((one: Body) => one.email === asked.email);
  expect(code).toMatchObject({ code: accepted.inviteCode, plan: 'trial', source: 'demo' });
  expect(Date.parse(code.expires_at) - Date.now()).toBeGreaterThan(6.9 * DAY_MS);

  const mail = await mailTo(asked.email);
  expect(mail).toMatch(/\nSubject: Su clínica ya puede comenzar\n/);
  expect(mail).toContain(`${api.baseUrl}/register#code=${accepted.inviteCode} `);
  const page = await fetch(`${api.baseUrl}/register`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);

  expect((await register(api, accepted.inviteCode)).status).toBe(400);
  const registered = await register(api, accepted.inviteCode, { email: asked.email });
  expect(registered).toMatchObject({ status: 201, body: { clinic: { subscription_plan: 'trial', subscription_expires_at: code.expires_at } } });
  expect(mailsTo(asked.email)).toHaveLength(1);
});

test('a request is rejected, and an unknown one is not found', async () => {
  const { id } = await ask();
  const answer = (what: string, which = id) => api.post(`/api/superadmin/demo-requests/${which}/${what}`, undefined, api.operator);
  expect(await answer('reject')).toMatchObject({ status: 200, body: { message: expect.any(String) } });
  expect((await list('?status=rejected')).map((one: Body) => one.id)).toContain(id);
  for (const what of ['accept', 'reject']) {
    expect(await answer(what)).toMatchObject({ status: 409, body: { code: 'DEMO_NOT_PENDING' } });
    for (const which of [randomUUID(), 'x']) expect(await answer(what, which)).toMatchObject({ status: 404, body: { error: 'Demo request not found' } });
  }
  expect(await api.get('/api/superadmin/demo-requests?status=gone', api.operator)).toMatchObject({ status: 400 });
});

test('a repeated acceptance with the same key returns the same code; the number of days has limits', async () => {
  const { id } = await ask();
  const accept = (expiresInDays: number, headers: Record<string, string>) =>
    api.post(`/api/superadmin/demo-requests/${id}/accept`, { expiresInDays }, { headers: { ...api.operator.headers, ...headers } });
  for (const days of [-1, 3651, 1.5]) expect(await accept(days, {})).toMatchObject({ status: 400, body: { details: [{ path: 'expiresInDays' }] } });
  const key = freshKey();
  const first = await accept(0, key);
  expect(first.status).toBe(200);
  expect((await accept(0, key)).body).toEqual(first.body);
});

test("operators' actions are in their audit log, with the name of the key", async () => {
  const clinic = await newClinic(api, { plan: 'basic' });
  await expectStatus(200, api.patch(`/api/superadmin/clinics/${clinic.id}`, { plan: 'pro' }, api.operator));
  const { body } = await api.get(`/api/superadmin/audit-log?entity=clinic&entity_id=${clinic.id}`, api.operator);
  expect(body).toEqual({
    actions: [
      {
        id: expect.any(String),
        at: expect.stringMatching(/Z$/),
        operator: 'operator',
        action: 'clinic.updated',
        entity: 'clinic',
        entity_id: clinic.id,
        clinic_id: clinic.id,
        changes: [{ field: 'subscription_plan', from: 'basic', to: 'pro' }],
        ip: expect.any(String),
        request_id: expect.any(String),
      },
    ],
    total: 1,
    page: 1,
    limit: 50,
  });
  const made = (await api.get('/api/superadmin/audit-log?action=invite_code.created&limit=2', api.operator)).body;
  expect(made.actions).toHaveLength(2);
  for (const bad of ['action=nope', 'entity=nope', 'entity_id=', 'page=0', 'from=yesterday', 'limit=501'])
    expect((await api.get(`/api/superadmin/audit-log?${bad}`, api.operator)).status).toBe(400);
});

test('the figures are rebuilt from the services that own the data, while the product runs', async () => {
  await newClinic(api);
  await asOwner(publicApi(), `update platform.clinics_seen set plan = 'basic', revision = 1000`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.resolve('scripts/run.js'), 'ops', 'rebuild', 'platform'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', DATA_DIR: publicApi().dataDir },
  });
  expect([stderr, status]).toEqual(['', 0]);
  expect(stdout).toMatch(/^clinics: \d+\n[\s\S]*appointments: \d+\n[\s\S]*orders: \d+\nrebuilt\n$/);
  const { actions } = (await api.get('/api/superadmin/audit-log?entity=projection&entity_id=platform', api.operator)).body;
  expect(actions[0]).toMatchObject({ action: 'projection.rebuilt', entity_id: 'platform', clinic_id: null });
  const differing = `select c.clinic_id from identity.clinics c left join platform.clinics_seen s using (clinic_id)
     where c.revision = 1 and (s.plan is distinct from c.subscription_plan or s.revision <> c.revision)`;
  // Other tests register clinics meanwhile, whose events are on their way.
  await waitFor(async () => expect(await asOwner(publicApi(), differing)).toEqual([]));
});

test('payment events are accepted only with the generated secret', async () => {
  const send = (key: string) => api.post('/webhooks/payments', '{}', { headers: { 'X-Signature': createHmac('sha256', key).update('{}').digest('hex') } });
  expect(await send(secret(publicApi(), 'PAYMENTS_WEBHOOK_SECRET'))).toMatchObject({ status: 200 });
  expect(await send('another secret')).toMatchObject({ status: 401 });
});
