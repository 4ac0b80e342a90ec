// An installation of an earlier release, stopped in the middle of its work, is restored and upgraded: the current code continues with everything that
// it had stored and sent. `scripts/dev/testing/make-fixture.ts` created it, and docs/persisted-names.md lists the names that must not change.
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { encryptionKeyRing } from '@clinic/lib/config/config.ts';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../lib/runtime/free-port.ts';
import { withoutDemo } from '../scripts/dev/demo/file.ts';
import { startPostgres } from '../scripts/dev/embedded/postgres.ts';
import { type Product, startProduct } from '../scripts/dev/product.ts';
import { tempFolder } from '../scripts/dev/temp-folder.ts';
import { type Api, apiAt, type Body, expectStatus } from './api.ts';
import { register } from './clinic.ts';
import { mailsTo } from './mails.ts';
import { asOwner, secret } from './product-internals.ts';
import { bringForward } from './setup/bring-forward.ts';
import { runScript } from './setup/ops.ts';
import { patientPhone } from './setup/patient-phone.ts';

const FIXTURE = path.join(import.meta.dirname, 'fixtures/installation');
const read = (name: string): Body => JSON.parse(readFileSync(path.join(FIXTURE, name), 'utf8'));
const { clinic, repeatable, patients, other, chat, links, conversations, recall, taxDocuments, accounts, waiting, jobs } = read('installation.json');

const dataDir = tempFolder('upgrade');
let product: Product | undefined;
let api: Api;
let simulator: string;
/** Moves dates in a text in the same way as those of the installation. */
let moved: (text: string) => string;
let session: { token: string };

async function signIn({ email, password }: Body): Promise<{ token: string }> {
  return { token: (await expectStatus(200, api.post('/api/auth/login', { email, password }))).body.access_token };
}
const person = ({ phone }: Body) => patientPhone(simulator, chat.number, phone);
const press = (conversation: Body) => person(conversation).press({ ...conversation.press, id: moved(conversation.press.id) });
const appointment = async (id: string) => (await expectStatus(200, api.get(`/api/appointments/${id}`, session))).body;

/** Moves the times as if the backup had just been made, and makes all waiting work due. One offer has expired without an answer. */
async function makeRecent(): Promise<void> {
  const database = await startPostgres({ dataDir });
  try {
    const { ENCRYPTION_KEYS } = parseEnv(readFileSync(path.join(FIXTURE, 'secrets.env'), 'utf8'));
    const keys = encryptionKeyRing.parse(ENCRYPTION_KEYS);
    moved = await bringForward(database.url, { madeAt: read('archive/manifest.json').madeAt, zone: clinic.timezone, keys });
    const schemas = [...new Set(jobs.map(({ schema }: Body) => schema))];
    for (const schema of schemas) await asOwner({ dataDir }, `update ${schema}.job set start_after = now() where name not like '\\_\\_%' and state < 'active'`);
    await asOwner({ dataDir }, `update messaging.outbound set next_attempt_at = now() where state = 'queued'`);
    await asOwner({ dataDir }, `update scheduling.slot_drafts set expires_at = now() + interval '10 minutes'`);
    const openUntil = `case when entry_id = $1 then now() else now() + interval '10 minutes' end`;
    await asOwner({ dataDir }, `update scheduling.waitlist_offers set expires_at = ${openUntil} where status = 'open'`, [waiting.silentOffer.entryId]);
  } finally {
    await database.stop();
  }
}

beforeAll(async () => {
  copyFileSync(path.join(FIXTURE, 'secrets.env'), path.join(dataDir, 'secrets.env'));
  expect(await runScript(dataDir, 'restore', '--from', path.join(FIXTURE, 'archive'))).toMatchObject({ status: 0, stderr: '' });
  await makeRecent();
  // Without a demo clinic, and with the documents that the simulated authority had received.
  withoutDemo(dataDir);
  cpSync(path.join(FIXTURE, 'dte-simulator'), path.join(dataDir, 'dte-simulator'), { recursive: true });
  mkdirSync(path.join(dataDir, 'mail'));
  const port = String(await freePort());
  simulator = `http://127.0.0.1:${port}`;
  const variants = JSON.stringify({ 111: { plan: waiting.payment.plan, cycle: 'month' } });
  product = await startProduct(publicApi().topology, { DATA_DIR: dataDir, CHAT_SIMULATOR_PORT: port, PAYMENTS_VARIANTS: variants });
  api = apiAt(product.api);
  session = await signIn(clinic);
});
afterAll(async () => {
  await product?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('a conversation continues where it stopped', () => {
  test('choosing an offered day leads to its times', async () => {
    const { choices } = await press(conversations.choosing);
    expect(
      choices.filter(({ id }) => id.startsWith(`time|${clinic.doctorId}|${moved(conversations.choosing.press.id.split('|')[2])}|`)).length,
    ).toBeGreaterThan(0);
  });

  test('the name for the held slot is accepted', async () => {
    const patient = person(conversations.naming);
    const question = await patient.say(conversations.naming.say);
    const yes = question.choices.find(({ id }) => id.startsWith('yes|'));
    await patient.press(yes ?? { id: 'none', title: '' });
    expect(await upcomingOf(conversations.naming.phone)).toMatchObject([{ source: 'chat', status: 'confirmed', patients: { full_name: 'Rosa Díaz' } }]);
  });

  test('a confirmation books the held slot', async () => {
    await press(conversations.confirming);
    expect(await upcomingOf(conversations.confirming.phone)).toMatchObject([{ source: 'chat', status: 'confirmed', patients: { full_name: 'Rosa Díaz' } }]);
  });

  test('a confirmation moves an appointment', async () => {
    const { appointmentId, press: yes } = conversations.moving;
    const [, , date, time] = moved(yes.id).split('/');
    expect(await appointment(appointmentId)).not.toMatchObject({ start_time: `${time}:00` });
    await press(conversations.moving);
    expect(await appointment(appointmentId)).toMatchObject({ appointment_date: date, start_time: `${time}:00` });
  });

  test.each(['cancelling', 'reminded'])('the button of the %s patient cancels the appointment', async (which) => {
    expect(await appointment(conversations[which].appointmentId)).toMatchObject({ status: 'confirmed' });
    await press(conversations[which]);
    expect(await appointment(conversations[which].appointmentId)).toMatchObject({ status: 'cancelled' });
  });

  test('an offer of the waitlist is accepted', async () => {
    await press(conversations.offered);
    expect(await waitlistEntry(conversations.offered.entryId)).toMatchObject({ status: 'booked' });
  });

  test('a question of the list is answered', async () => {
    const { answer } = repeatable.find(({ path: of }: Body) => of === '/api/faq');
    expect(await press(conversations.asking)).toMatchObject({ text: answer.answer });
  });

  test('a reply to a recall message is counted for its campaign', async () => {
    const contacts = async () => (await expectStatus(200, api.get(`/api/dental/recall-campaigns/${recall.campaignId}/contacts`, session))).body.contacts;
    expect((await contacts()).map(({ status }: Body) => status).sort()).toEqual(['delivered', 'queued']);
    await person(recall).say('Gracias');
    await waitFor(async () => expect((await contacts()).map(({ status }: Body) => status).sort()).toEqual(['queued', 'responded']));
  });
});

const upcomingOf = async (phone: string): Promise<Body[]> => {
  const { body } = await expectStatus(200, api.get('/api/appointments?limit=500', session));
  return body.appointments.filter(({ patients: patient }: Body) => patient.phone === phone);
};
const waitlistEntry = async (id: string) =>
  (await expectStatus(200, api.get('/api/waitlist?limit=500', session))).body.entries.find((one: Body) => one.id === id);

describe('waiting work is done', () => {
  test.each<Body>(jobs)('the job $queue of $schema', async ({ schema, id }) => {
    await waitFor(async () => expect(await asOwner({ dataDir }, `select state from ${schema}.job where id = $1`, [id])).toEqual([{ state: 'completed' }]));
  });

  test('a message that the provider had rejected is delivered', async () => {
    const { phone, text, messageId } = waiting.reply;
    await waitFor(async () => expect((await person({ phone }).messages()).map((message) => message.text)).toContain(text));
    await waitFor(async () => {
      const { body } = await api.get(`/api/conversations/${encodeURIComponent(phone)}/messages`, session);
      expect(body.messages.find(({ id }: Body) => id === messageId)).toMatchObject({ status: 'delivered' });
    });
  });

  test('a stored delivery is processed and answered with the texts of the clinic', async () => {
    const [answer] = await waitFor(async () => {
      const messages = await person(waiting.delivery).messages();
      return messages.length > 0 && messages;
    });
    expect(answer?.text).toContain('¡Bienvenida a Clínica del Molde!');
  });

  test('mails are sent: a recovery link, an invitation, a tax document', async () => {
    for (const to of [waiting.recoveryMailTo, waiting.demoMailTo, waiting.documentMail.to])
      await waitFor(() => expect(mailsTo(to, { dataDir })).toHaveLength(1));
    expect(mailsTo(waiting.recoveryMailTo, { dataDir })[0]).toMatch(/\/reset-password#token=\S+/);
  });

  test('a payment upgrades its clinic to the plan that was paid', async () => {
    await waitFor(async () => {
      const { body } = await expectStatus(200, api.get('/api/superadmin/clinics', api.operator));
      expect(body.find(({ id }: Body) => id === waiting.payment.clinicId)).toMatchObject({ subscription_plan: waiting.payment.plan });
    });
  });

  test('an offer without an answer returns to the waitlist', async () => {
    await waitFor(async () => expect(await waitlistEntry(waiting.silentOffer.entryId)).not.toMatchObject({ status: 'offered' }));
  });

  test('a proposal of the assistant is confirmed', async () => {
    await expectStatus(200, api.post(`/api/assistant/actions/${waiting.proposal.actionId}/confirm`, undefined, session));
    const { body } = await expectStatus(200, api.get('/api/appointments?limit=500', session));
    expect(body.appointments.map(({ patients: patient }: Body) => patient.full_name)).toContain(waiting.proposal.patientName);
  });

  test('a tax document that was issued while the authority was unavailable is sent', async () => {
    // The sweep runs each minute.
    await waitFor(async () => {
      const { body } = await expectStatus(200, api.get(`/api/dte/documents/${waiting.contingencyDocumentId}`, session));
      expect(body).toMatchObject({ status: 'processed' });
    });
  });
});

describe('links, codes and sessions remain valid', () => {
  test('national ids are decrypted', async () => {
    const [beatriz] = repeatable;
    expect((await expectStatus(200, api.get(`/api/patients/${beatriz.answer.id}`, session))).body).toMatchObject({ dui: beatriz.body.dui });
    const [carlos] = patients;
    expect((await expectStatus(200, api.get(`/api/patients/${carlos.id}`, await signIn(other)))).body).toMatchObject({ dui: carlos.dui });
  });

  test('a calendar feed', async () => {
    const feed = await expectStatus(200, api.get(links.feed));
    expect(feed.headers.get('content-type')).toContain('text/calendar');
    for (const { appointmentId } of links.checkIns) expect(feed.text).toContain(`UID:${appointmentId}@`);
    const shown = await expectStatus(200, api.get(`/api/calendar/feed-url/${clinic.doctorId}`, session));
    expect(new URL(shown.body.feedUrl).pathname).toBe(links.feed);
  });

  test('a check-in link, on the day of the appointment', async () => {
    // The links of today and tomorrow, in case midnight passes during the test.
    const tokens: string[] = links.checkIns.map(({ path: link }: Body) => link.split('/').at(-1));
    const statuses = await Promise.all(tokens.map(async (token) => (await expectStatus(200, api.get(`/api/check-in/${token}`))).body.status));
    expect(statuses.toSorted().join()).toMatch(/^(ready,wrong_day|over,ready)$/);
    const ready = tokens[statuses.indexOf('ready')] ?? '';
    expect((await expectStatus(200, api.get(`/check-in/${ready}`))).text).toContain('Hola, Ana');
    expect((await expectStatus(200, api.post(`/api/check-in/${ready}`))).body).toMatchObject({ status: 'done' });
  });

  test('the link to a tax document, and the document', async () => {
    expect((await expectStatus(200, api.get(links.taxDocument))).headers.get('content-type')).toBe('application/pdf');
    const { id, controlNumber, seal: stamp, total } = taxDocuments.processed; // plain-words: seal is a key of the fixture
    const { body } = await expectStatus(200, api.get(`/api/dte/documents/${id}`, session));
    expect(body).toMatchObject({ status: 'processed', numero_control: controlNumber, sello_recibido: stamp, total });
  });

  test('a recovery link', async () => {
    const { email, token } = accounts.recovery;
    const password = 'Otros-Cuatro-Tigres-8';
    const answer = await api.post('/api/auth/reset-password', { token, password });
    expect(answer.status).toBeLessThan(300);
    await signIn({ email, password });
  });

  test('a session', async () => {
    const refreshed = await expectStatus(200, api.post('/api/auth/refresh', undefined, { headers: { Cookie: accounts.refresh.cookie } }));
    expect((await expectStatus(200, api.get('/api/auth/me', { token: refreshed.body.access_token }))).text).toContain(accounts.refresh.email);
  });

  test('an invitation code', async () => {
    expect(await register(api, links.inviteCode)).toMatchObject({ status: 201 });
  });

  test.each<Body>(repeatable)('$path repeated with its key has its first answer', async ({ path: to, body, key, operator, status, answer }) => {
    const headers = { 'Idempotency-Key': key, ...(operator && api.operator.headers) };
    const repeated = await api.post(to, body, { ...(!operator && session), headers });
    expect(repeated).toMatchObject({ status, body: answer });
  });
});

test('each service has its own encryption keys, with which all values of the shared key are reencrypted', async () => {
  expect(secret({ dataDir }, 'ENCRYPTION_KEYS')).toMatch(/^k2\.\*:[^,]+,k1:[^,]+$/);
  expect(await runScript(dataDir, 'ops', 'rotate-keys')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('0 values encrypted under other keys'),
  });
  const [beatriz] = repeatable;
  expect((await expectStatus(200, api.get(`/api/patients/${beatriz.answer.id}`, session))).body).toMatchObject({ dui: beatriz.body.dui });
  expect((await expectStatus(200, api.get(`/api/patients?search=${beatriz.body.dui}`, session))).body.total).toBeGreaterThan(0);
});

test('the audit chain is intact', async () => {
  await waitFor(async () => {
    const logs = await asOwner(
      { dataDir },
      `select table_schema || '.audit_pending' as name from information_schema.tables where table_name = 'audit_pending'`,
    );
    const each = logs.map(({ name }) => `select from ${name}`);
    return (await asOwner({ dataDir }, each.join(' union all '))).length === 0;
  });
  expect(await runScript(dataDir, 'ops', 'verify-audit')).toMatchObject({ status: 0, stdout: expect.stringContaining('The audit log is intact.') });
});
