// Personal data and secrets do not leak. With all services at debug level and every request traced, marked values are sent through the product.
// They must not occur in logs, traces, metrics, events, jobs and errors, and the secrets among them in no table.
import { createHmac, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Answer, type Api, apiAt, expectStatus } from './api.ts';
import { addDoctor, booking, cookieOf, inviteCode, register, setUpMfa } from './clinic.ts';
import { type Collector, startCollector } from './collector.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';
import { asOwner, secret } from './product-internals.ts';

/** A value is found in any text that contains it. */
const PERSONAL = {
  admin: 'Canariana',
  adminEmail: 'canary-admin',
  patient: 'Delatora',
  patientEmail: 'canary-patient',
  phone: '71829364',
  note: 'canarynote',
  message: 'canarymessage',
};
const DUI = '04182736';
const [PASSWORD, WRONG_PASSWORD, NEW_PASSWORD, PIN] = ['Canary-Password-7391', 'Canary-Mistake-7391', 'Canary-Successor-7391', '73914628'];

let collector: Collector;
let product: OwnProduct;
let api: Api;
const secrets: string[] = [PASSWORD, WRONG_PASSWORD, NEW_PASSWORD, PIN, DUI];
const refusals: Answer[] = [];

beforeAll(async () => {
  collector = await startCollector();
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_TRACES_SAMPLER_ARG: '1' };
  product = await startOwnProduct({ LOG_LEVEL: 'debug', ...tracing }, publicApi().topology);
  api = apiAt(product.api);
  await sendCanaries();
});
afterAll(async () => {
  await product?.stop();
  await collector?.stop();
});

async function sendCanaries(): Promise<void> {
  const refused = async (status: number, answer: Promise<Answer>) => void refusals.push(await expectStatus(status, answer));
  const email = `${PERSONAL.adminEmail}@clinic.example`;
  const { code } = await inviteCode(api);
  const registered = await register(api, code, { email, adminName: `${PERSONAL.admin} Morales`, password: PASSWORD });
  const token: string = registered.body.access_token;
  const clinic = { token };
  secrets.push(token.slice(-40), cookieOf(registered).split('=')[1] ?? '');

  const login = (password: string) => api.post('/api/auth/login', { email, password });
  await refused(401, login(WRONG_PASSWORD));
  secrets.push(cookieOf(await expectStatus(200, login(PASSWORD))).split('=')[1] ?? '');
  await refused(409, register(api, (await inviteCode(api)).code, { email, adminName: PERSONAL.admin, password: PASSWORD }));
  await expectStatus(200, api.post('/api/auth/forgot-password', { email }));
  secrets.push(await waitFor(() => resetToken() ?? false));

  await expectStatus(200, api.put('/api/users/me/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }, clinic));
  await refused(401, api.put('/api/users/me/password', { currentPassword: WRONG_PASSWORD, newPassword: NEW_PASSWORD }, clinic));
  await expectStatus(200, api.put('/api/users/me/pin', { pin: PIN, password: NEW_PASSWORD }, clinic));
  const { secret: totp, recoveryCodes } = await setUpMfa(api, clinic);
  const awaited = await expectStatus(401, api.post('/api/auth/switch', { userId: registered.body.user.id, pin: PIN }, clinic));
  const mfaToken: string = awaited.body.details[0].message;
  secrets.push(totp, ...recoveryCodes, mfaToken.slice(-40));
  await refused(400, api.post('/api/auth/mfa', { mfaToken, code: '0'.repeat(20) }));
  const second = await expectStatus(200, api.post('/api/auth/mfa', { mfaToken, code: recoveryCodes[0] }));
  secrets.push(...second.headers.getSetCookie().map((cookie) => /=([^;]+)/.exec(cookie)?.[1] ?? ''));

  const patient = { fullName: `Ana ${PERSONAL.patient}`, phone: `+503${PERSONAL.phone}`, dui: `${DUI}-1`, notes: PERSONAL.note };
  const patientEmail = `${PERSONAL.patientEmail}@clinic.example`;
  await expectStatus(201, api.post('/api/patients', { ...patient, email: patientEmail }, clinic));
  await refused(409, api.post('/api/patients', patient, clinic));
  await refused(400, api.post('/api/patients', { ...patient, birthDate: PERSONAL.note, email: PERSONAL.patientEmail, dui: `${DUI}-X` }, clinic));
  await refused(400, api.post('/api/patients', `{"fullName": "${PERSONAL.patient}", "notes": ${PERSONAL.note}}`, clinic));
  for (const search of [PERSONAL.patient, DUI, PERSONAL.phone]) await expectStatus(200, api.get(`/api/patients?search=${search}`, clinic));
  const doctor = await addDoctor(api, clinic as never);
  const body = { ...booking(doctor.id, '08:00'), patientName: patient.fullName, patientPhone: patient.phone, notes: PERSONAL.note };
  await expectStatus(201, api.post('/api/appointments', body, clinic));
  await refused(409, api.post('/api/appointments', body, clinic));

  const { body: feed } = await expectStatus(200, api.get(`/api/calendar/feed-url/${doctor.id}`, clinic));
  const feedToken = /([^/]+)\.ics/.exec(JSON.stringify(feed))?.[1] ?? '';
  secrets.push(feedToken);
  await expectStatus(200, api.get(`/api/calendar/feed/${feedToken}.ics`));
  await refused(404, api.get(`/api/calendar/feed/${PERSONAL.note}.ics`));

  secrets.push('EAAGcanary');
  await expectStatus(200, api.put('/api/clinics/chat-config', { phoneNumberId: 'canaries', accessToken: 'EAAGcanary' }, clinic));
  await waitFor(async () => (await api.get('/api/chat/status', clinic)).body.status === 'active');
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '1', phone_number_id: 'canaries' },
    contacts: [{ profile: { name: PERSONAL.patient }, wa_id: `503${PERSONAL.phone}` }],
    messages: [{ id: `wamid.${randomUUID()}`, from: `503${PERSONAL.phone}`, timestamp: '1697043223', type: 'text', text: { body: PERSONAL.message } }],
  };
  const delivery = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [{ field: 'messages', value }] }] });
  const signature = (key: string) => ({
    headers: { 'X-Hub-Signature-256': `sha256=${createHmac('sha256', key).update(delivery).digest('hex')}` },
  });
  await refused(401, api.post('/webhooks/chat', delivery, signature('wrong')));
  await expectStatus(200, api.post('/webhooks/chat', delivery, signature(secret(product.api, 'CHAT_APP_SECRET'))));
  await waitFor(async () => (await api.get('/api/conversations', clinic)).text.includes(PERSONAL.phone));
}

/** The token in the mail with the link. */
function resetToken(): string | undefined {
  const folder = path.join(product.api.dataDir, 'mail');
  const mails = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return mails.map((mail) => /reset-password[?#]\w+=([\w.-]+)/.exec(mail)?.[1]).find(Boolean);
}

const all = () => [...Object.values(PERSONAL), ...secrets];
/** The marked values that occur in a text, in plain text or in base64. */
const foundIn = (text: string) => all().filter((value) => text.includes(value) || text.includes(Buffer.from(value).toString('base64').slice(0, -4)));

const textOf = async (table: string, schemas: string) => {
  const tables = await asOwner(product.api, 'select table_schema s from information_schema.tables where table_name = $1 and table_schema like $2', [
    table,
    schemas,
  ]);
  const rows = await Promise.all(tables.map(({ s }) => asOwner(product.api, `select t::text as row from ${s}.${table} t`)));
  return rows.flat().map(({ row }) => row as string);
};

test('the marked values were sent', () => {
  for (const value of all()) expect(value.length).toBeGreaterThan(6);
  expect(refusals.length).toBeGreaterThan(7);
});

test('logs at debug', () => {
  expect(product.output().length).toBeGreaterThan(5_000);
  expect(foundIn(product.output())).toEqual([]);
});

test('traces', async () => {
  await waitFor(() => collector.spans.some(({ name }) => name === 'POST /webhooks/chat'));
  expect(foundIn(collector.raw())).toEqual([]);
});

test('metrics', async () => {
  expect(foundIn(await (await fetch(`${product.api.adminUrl}/metrics`)).text())).toEqual([]);
});

test('events', async () => {
  const events = await textOf('outbox', '%');
  expect(events.length).toBeGreaterThan(3);
  for (const event of events) expect([foundIn(event), event]).toEqual([[], event]);
});

test('jobs', async () => {
  const jobs = await textOf('job', '%\\_jobs');
  expect(jobs.length).toBeGreaterThan(0);
  for (const job of jobs) expect([foundIn(job), job]).toEqual([[], job]);
});

test('error responses', () => {
  for (const { text } of refusals) expect([foundIn(text), text]).toEqual([[], text]);
});

test('no table contains a password, a token or a national id in plain text', async () => {
  const tables = await asOwner(
    product.api,
    "select table_schema || '.' || table_name as name from information_schema.tables where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')",
  );
  const patterns = secrets.map((value) => `%${value.replaceAll('_', '\\_')}%`);
  for (const { name } of tables) {
    const [{ count }] = await asOwner(product.api, `select count(*) from ${name} t where t::text like any($1)`, [patterns]);
    expect([name, Number(count)]).toEqual([name, 0]);
  }
});
