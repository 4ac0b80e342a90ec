// Conversations with the bot, end to end: webhook, booking, the appointment in the list, its cancellation and the notice of it.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { apiAt, type Body, expectStatus } from './api.ts';
import { addDoctor, type Clinic, freshPhone, newClinic } from './clinic.ts';
import { asOwner } from './product-internals.ts';
import { connectNumber, deliver, deliveryOf } from './setup/chat-number.ts';

const api = apiAt(publicApi());
const HANDLED = `select count(*)::int as n from messaging.messages m join messaging.conversations c on c.clinic_id = m.clinic_id and c.id = m.conversation_id
  where c.phone = $1 and not exists (select from messaging.turns t where t.message_id = m.id)`;

let clinic: Clinic;
let numberId: string;

beforeAll(async () => {
  clinic = await newClinic(api);
  await addDoctor(api, clinic);
  numberId = await connectNumber(clinic);
  await expectStatus(200, api.patch('/api/chat/reminders', { quiet_from: '00:00', quiet_until: '00:00' }, clinic));
});

const send = (from: string, content: Parameters<typeof deliveryOf>[2]) => expectStatus(200, deliver(deliveryOf(numberId, from, content)));

/** A patient's phone: sends a message and waits for one reply. */
function patient(phone = freshPhone()) {
  let received = 0;
  let offered: Body[] = [];
  const answers = async (): Promise<Body[]> => {
    const { body } = await expectStatus(200, api.get(`/api/conversations/${encodeURIComponent(phone)}/messages`, clinic));
    return body.messages.filter(({ direction }: Body) => direction === 'out').toReversed();
  };
  const nextReply = async (): Promise<string> => {
    const all = await waitFor(async () => {
      const found = await answers();
      return found.length > received && found;
    });
    expect(all).toHaveLength(++received);
    offered = all.at(-1)?.choices ?? [];
    return all.at(-1)?.text;
  };
  return {
    phone,
    nextReply,
    async say(text: string) {
      await send(phone, { text });
      return nextReply();
    },
    async press(match: (choice: Body) => boolean) {
      const choice = offered.find(match);
      if (!choice) throw new Error(`not offered: ${JSON.stringify(offered)}`);
      await send(phone, { choice: choice.id });
      return nextReply();
    },
  };
}

test('who opts out before being a patient is opted out as a patient, also during a takeover; an emergency is shown again', async () => {
  const [rosa, luis] = [patient(), patient()];
  expect(await rosa.say('BAJA')).toContain('no le enviaremos más invitaciones');
  await luis.say('Hola');
  const conversation = `/api/conversations/${encodeURIComponent(luis.phone)}`;
  expect((await expectStatus(200, api.post(`${conversation}/takeover`, undefined, clinic))).body.handover_reason).toBeNull();
  for (const text of ['BAJA', 'Es una emergencia, no para de sangrar']) await send(luis.phone, { text });
  await waitFor(async () => (await asOwner(publicApi(), HANDLED, [luis.phone]))[0].n === 4); // with the greeting
  expect((await expectStatus(200, api.post(`${conversation}/read`, undefined, clinic))).body).toMatchObject({ mode: 'human', handover_reason: 'emergency' });
  for (const { phone } of [rosa, luis])
    expect((await expectStatus(201, api.post('/api/patients', { fullName: 'Rosa Díaz', phone }, clinic))).body.recall_opted_out).toBe(true);
});

test('a patient books, the desk sees and cancels the appointment, and the patient receives a message', async () => {
  const rosa = patient();
  expect(await rosa.say('Hola, quiero agendar una cita')).toContain('¿qué día le conviene?');
  await rosa.press(({ id }) => id.startsWith('day|'));
  expect(await rosa.press(({ id }) => id.startsWith('time|'))).toContain('¿A nombre de quién?');
  expect(await rosa.say('Rosa Díaz')).toContain('A nombre de: Rosa Díaz');
  expect(await rosa.press(({ id }) => id.startsWith('yes|'))).toContain('Su cita está agendada');

  const { body: listed } = await expectStatus(200, api.get('/api/appointments', clinic));
  const appointment = listed.appointments.find(({ patients }: Body) => patients.phone === rosa.phone);
  expect(appointment).toMatchObject({ source: 'chat', status: 'confirmed', patients: { full_name: 'Rosa Díaz' } });
  expect(appointment.idempotency_key).toMatch(/^CHAT_/);
  expect((await expectStatus(200, api.get('/api/appointments/notifications', clinic))).body.count).toBe(1);

  expect(await rosa.say('mis citas')).toContain('Dra. Elena Rivas');
  await expectStatus(200, api.patch(`/api/appointments/${appointment.id}/status`, { status: 'cancelled' }, clinic));
  // The clinic has no quiet hours, in which the message would wait for the morning.
  expect(await rosa.nextReply()).toContain('fue cancelada');
});

test('when two patients choose the same slot, one gets it and the other is offered others', async () => {
  const both = [patient(), patient()];
  for (const one of both) {
    await one.say('I want to book an appointment');
    await one.press(({ id }) => id.startsWith('day|'));
  }
  const replies = await Promise.all(both.map((one) => one.press(({ id }) => id.startsWith('time|'))));
  expect(replies.filter((text) => text.includes('In whose name?'))).toHaveLength(1);
  expect(replies.filter((text) => text.includes('has just been taken'))).toHaveLength(1);
});

test('a clinic that has switched the bot off receives the messages and replies itself', async () => {
  const features = (chatBot: boolean) => expectStatus(200, api.patch('/api/clinics/features', { features: { chat_bot: chatBot } }, clinic));
  await features(false);
  const ana = patient();
  await send(ana.phone, { text: 'Hola' });
  await waitFor(async () => (await asOwner(publicApi(), HANDLED, [ana.phone]))[0].n === 1);
  const { body } = await expectStatus(200, api.get(`/api/conversations/${encodeURIComponent(ana.phone)}/messages`, clinic));
  expect(body.messages).toMatchObject([{ direction: 'in', text: 'Hola' }]);
  await features(true);
  expect(await ana.say('Hola')).toContain('Soy el asistente');
});

test('the bot uses the texts of the clinic', async () => {
  const greeting = { key: 'greeting', language: 'es', text: '¡Bienvenida a {clinica}!' };
  await expectStatus(200, api.patch('/api/chat/texts', { texts: [greeting] }, clinic));
  expect(await patient().say('Hola')).toBe('¡Bienvenida a Clínica de Prueba!');
  const { body } = await expectStatus(200, api.get('/api/chat/texts', clinic));
  expect(body.texts).toContainEqual(expect.objectContaining({ ...greeting, is_custom: true }));
  const wrong = await api.patch('/api/chat/texts', { texts: [{ ...greeting, text: 'Hola {telefono}' }] }, clinic);
  expect([wrong.status, wrong.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  await expectStatus(200, api.patch('/api/chat/texts', { texts: [{ ...greeting, text: '' }] }, clinic));
  expect(await patient().say('Hola')).toContain('Soy el asistente de Clínica de Prueba');
});
