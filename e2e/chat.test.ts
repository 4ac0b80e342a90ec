// The chat channel, end to end: a number is connected at the simulated provider, a patient writes, and a person answers.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { apiAt, type Body, expectStatus } from './api.ts';
import { addPatient, type Clinic, freshPhone, newClinic } from './clinic.ts';
import { mailTo } from './mails.ts';
import { connectNumber, deliver, deliveryOf } from './setup/chat-number.ts';

const api = apiAt(publicApi());

let clinic: Clinic;
let numberId: string;

beforeAll(async () => {
  clinic = await newClinic(api);
  numberId = await connectNumber(clinic);
  // Only people answer in these tests; bot.test.ts tests the bot.
  await expectStatus(200, api.patch('/api/clinics/settings', { bot_enabled: false }, clinic));
});

const delivery = (phone: string, text: string, number = numberId) => deliveryOf(number, phone, { text });
const threadOf = async (phone: string): Promise<Body[]> =>
  (await expectStatus(200, api.get(`/api/conversations/${encodeURIComponent(phone)}/messages`, clinic))).body.messages;
const inThread = (phone: string, count: number) =>
  waitFor(async () => {
    const messages = await threadOf(phone);
    return messages.length === count && messages;
  });

test('admins see the status of the number', async () => {
  const { body } = await expectStatus(200, api.get('/api/chat/status', clinic));
  expect(body).toEqual({ status: 'active', number: `+${numberId.slice(3)}`, detail: expect.any(String) });
});

test("a provider's refusal is returned with 502, and the status is failed", async () => {
  const other = await newClinic(api);
  const answer = await api.post('/api/chat/start', { phone: freshPhone(), otpMethod: 'voice', wabaId: '1', accessToken: 'expired' }, other);
  expect([answer.status, answer.body]).toEqual([502, { error: 'Invalid OAuth access token', code: 'CHAT_PROVIDER_ERROR' }]);
  expect((await api.get('/api/chat/status', other)).body.status).toBe('failed');
});

describe('a patient writes', () => {
  test("and the thread has the message once, with the patient's name, however often it is delivered", async () => {
    const patient = await addPatient(api, clinic, { fullName: 'Rosa Díaz' });
    const body = delivery(patient.phone, '¿Tienen cita mañana?');
    expect((await Promise.all([deliver(body), deliver(body), deliver(body)])).map(({ status }) => status)).toEqual([200, 200, 200]);
    const [message] = await inThread(patient.phone, 1);
    expect(message).toMatchObject({ direction: 'in', sender: 'patient', text: '¿Tienen cita mañana?', status: 'received', media: null });
    await waitFor(async () => {
      const { body: found } = await api.get(`/api/conversations?search=rosa`, clinic);
      expect(found).toMatchObject({
        total: 1,
        conversations: [{ phone: patient.phone, patient_id: patient.id, patient_name: 'Rosa Díaz', mode: 'bot', status: 'open', unread_count: 1 }],
      });
    });
  });

  test('a bad signature is 401, and nothing is stored', async () => {
    const phone = freshPhone();
    const answer = await deliver(delivery(phone, 'x'), `sha256=${'0'.repeat(64)}`);
    expect([answer.status, answer.body.code]).toEqual([401, 'INVALID_SIGNATURE']);
    expect((await api.get(`/api/conversations/${encodeURIComponent(phone)}/messages`, clinic)).status).toBe(404);
  });
});

describe('a person', () => {
  const send = (phone: string, what: string, body?: Body) => api.post(`/api/conversations/${encodeURIComponent(phone)}/${what}`, body, clinic);

  test('replies, which takes the conversation over, and the reply arrives', async () => {
    const phone = freshPhone();
    await deliver(delivery(phone, 'Hola'));
    await inThread(phone, 1);
    const { body } = await expectStatus(201, send(phone, 'reply', { message: 'Con gusto' }));
    expect(body).toMatchObject({ direction: 'out', sender: 'user', sent_by: clinic.session.user.id, text: 'Con gusto' });
    await waitFor(async () => expect((await threadOf(phone))[0].status).toBe('delivered'));
    const { conversations } = (await api.get(`/api/conversations?search=${phone.slice(1)}`, clinic)).body;
    expect(conversations[0]).toMatchObject({ mode: 'human', assigned_user_id: clinic.session.user.id, unread_count: 0 });
    expect((await expectStatus(200, send(phone, 'release', { close: true }))).body).toMatchObject({ mode: 'bot', status: 'closed', assigned_user_id: null });
    expect((await expectStatus(200, send(phone, 'takeover'))).body).toMatchObject({ mode: 'human', status: 'open' });
    expect((await expectStatus(200, send(phone, 'read'))).body).toMatchObject({ unread_count: 0 });
  });

  test('sends a template without a text, which may be null', async () => {
    const phone = freshPhone();
    await deliver(delivery(phone, 'Hola'));
    await inThread(phone, 1);
    const template = { name: 'seguimiento', language: 'es', variables: ['Rosa'] };
    for (const body of [{ template }, { message: null, template }, { message: '', template }])
      expect((await expectStatus(201, send(phone, 'reply', body))).body).toMatchObject({ type: 'template', text: '[seguimiento] Rosa' });
    for (const message of [null, '', ' ', undefined])
      expect((await send(phone, 'reply', { message })).body).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: 'message' }] });
  });

  test('gets 404 for a thread that does not exist', async () => {
    for (const what of ['takeover', 'release', 'read']) {
      const answer = await send(freshPhone(), what);
      expect([answer.status, answer.body.error]).toEqual([404, 'Conversation not found']);
    }
  });
});

test('deliveries to a disconnected number are stored for the operator', async () => {
  const other = await newClinic(api);
  const number = await connectNumber(other);
  expect((await expectStatus(200, api.post('/api/chat/disconnect', undefined, other))).body).toEqual({ status: 'disconnected' });
  expect((await api.get('/api/chat/status', other)).body).toMatchObject({ status: 'disconnected', number: '' });
  await deliver(delivery(freshPhone(), 'x', number));
  await waitFor(async () => {
    const { events } = (await api.get('/api/superadmin/webhook-events/chat?status=unknown_number', api.operator)).body;
    return events.some((event: Body) => event.detail.includes(number));
  });
});

describe('a number of another clinic', () => {
  const conversationsOf = async (one: Clinic): Promise<Body[]> => (await expectStatus(200, api.get('/api/conversations', one))).body.conversations;
  const received = (one: Clinic, phone: string) => waitFor(async () => (await conversationsOf(one)).some((conversation) => conversation.phone === phone));
  const becomes = (one: Clinic, status: string) => waitFor(async () => (await api.get('/api/chat/status', one)).body.status === status);

  test.each([
    ['PUT', '/api/clinics/chat-config', (number: string) => ({ phoneNumberId: number, accessToken: 'EAAGtoken-of-somebody-else' })],
    ['PATCH', '/api/clinics/settings', (number: string) => ({ chat_phone_number_id: number, chat_access_token: 'EAAGtoken-of-somebody-else' })],
  ])('cannot be taken over by %s %s: its owner still receives messages and can reconnect', async (method, route, body) => {
    const [owner, other] = [await newClinic(api), await newClinic(api)];
    const number = await connectNumber(owner);
    await expectStatus(200, api.send(method, route, body(number), other));
    await becomes(other, 'failed');
    const phone = freshPhone();
    await deliver(delivery(phone, 'Hola', number));
    await received(owner, phone);
    expect(await conversationsOf(other)).toEqual([]);
    expect((await api.get('/api/chat/status', owner)).body.status).toBe('active');
    await expectStatus(200, api.put('/api/clinics/chat-config', { phoneNumberId: number, accessToken: 'EAAGtest-token', verifyToken: 'x' }, owner));
  });

  test('that was claimed before its owner connected: messages delivered meanwhile reach the owner', async () => {
    const [owner, other] = [await newClinic(api), await newClinic(api)];
    const number = `999${freshPhone().slice(1)}`;
    await expectStatus(200, api.put('/api/clinics/chat-config', { phoneNumberId: number, accessToken: 'expired' }, other));
    await becomes(other, 'failed');
    const patient = freshPhone();
    await deliver(delivery(patient, 'Hola', number));
    const held = async () => (await api.get('/api/superadmin/webhook-events/chat?status=unproven_number&limit=500', api.operator)).body.events;
    await waitFor(async () => (await held()).some((event: Body) => event.detail.includes(number)));
    await expectStatus(200, api.put('/api/clinics/chat-config', { phoneNumberId: number, accessToken: 'EAAGtest-token' }, owner));
    await received(owner, patient);
    expect(await conversationsOf(other)).toEqual([]);
  });

  test('moves to the clinic that verified it last, and both clinics get a mail', async () => {
    const [before, after] = [await newClinic(api), await newClinic(api)];
    const phone = freshPhone();
    const number = `999${phone.slice(1)}`;
    await expectStatus(200, api.put('/api/clinics/chat-config', { phoneNumberId: number, accessToken: 'EAAGtest-token' }, before));
    await becomes(before, 'active');
    expect(await connectNumber(after, phone, 'EAAGtoken-of-the-next')).toBe(number);
    const patient = freshPhone();
    await deliver(delivery(patient, 'Hola', number));
    await received(after, patient);
    expect(await conversationsOf(before)).toEqual([]);
    expect((await api.get('/api/chat/status', before)).body).toMatchObject({ status: 'failed', detail: expect.stringMatching(/another clinic/i) });
    expect(await mailTo(before.email)).toMatch(/conectado ahora a otra clínica/);
    expect(await mailTo(after.email)).toMatch(/estaba conectado a otra clínica/);
  });
});
