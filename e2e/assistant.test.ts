// The assistant through the public API.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { expect, test } from '@jest/globals';
import { apiAt, type Body, expectStatus } from './api.ts';
import { addDoctor, addPatient, book, booking, type Clinic, freshEmail, inDays, newClinic, PASSWORD } from './clinic.ts';

const api = apiAt(publicApi());

test('the briefing of a day', async () => {
  const clinic = await newClinic(api, { plan: 'pro' });
  const doctor = await addDoctor(api, clinic);
  const appointment = await book(api, clinic, booking(doctor.id, '09:00', inDays(7)));
  await expectStatus(
    201,
    api.post('/api/waitlist', { patientId: appointment.patient_id, doctorId: doctor.id, dateFrom: inDays(6), dateTo: inDays(8) }, clinic),
  );
  const { body } = await expectStatus(200, api.get(`/api/assistant/briefing?date=${inDays(7)}`, clinic));
  expect(body).toMatchObject({
    date: inDays(7),
    source: 'rules',
    appointments: { total: 1, confirmed: 1, first_start: '09:00:00', last_end: '09:30:00', by_doctor: [{ doctor_id: doctor.id, visits: 1, gap_minutes: 210 }] }, // plain-words: visits is a field of the API
    unconfirmed: [],
    gaps: [{ doctor_id: doctor.id, start_time: '08:00:00', end_time: '09:00:00', minutes: 60 }, { minutes: 150 }],
    waitlist: { total: 1, suits_day: 1, items: [{ patient_id: appointment.patient_id, patient_name: 'Luis Pérez', status: 'waiting' }] },
    conversations_waiting: { total: 0, items: [] },
    overdue_payments: { total: 0, amount: 0, items: [] },
    recalls_due: { total: 0, items: [] },
    yesterday: { date: inDays(6), total: 0 },
    alerts: [{ code: 'waitlist_fits', href: '/api/waitlist?status=waiting' }],
  });
  expect(body.summary).toContain('hay 1 cita con 1 doctor');
  await expectStatus(200, api.get('/api/assistant/briefing', clinic));
  await expectStatus(400, api.get('/api/assistant/briefing?date=2026-02-30', clinic));
});

test('a clinic that is not dental has no payments', async () => {
  const clinic = await newClinic(api, { registration: { clinicType: 'medical' } });
  expect((await expectStatus(200, api.get('/api/assistant/briefing', clinic))).body).toMatchObject({ overdue_payments: null, recalls_due: null });
});

test('names are not sent to the model unless the clinic allows it', async () => {
  const clinic = await newClinic(api);
  expect((await expectStatus(200, api.get('/api/assistant/settings', clinic))).body).toMatchObject({ source: 'rules', send_names: false, tokens_today: 0 });
  expect((await expectStatus(200, api.patch('/api/assistant/settings', { send_names: true }, clinic))).body.send_names).toBe(true);
});

test('the basic plan has no assistant', async () => {
  const clinic = await newClinic(api, { plan: 'basic' });
  for (const path of ['/api/assistant/briefing', '/api/assistant/settings'])
    expect((await expectStatus(403, api.get(path, clinic))).body.code).toBe('PLAN_UPGRADE_REQUIRED');
});

/** A second user of the clinic, signed in. */
async function addUser(clinic: Clinic): Promise<Clinic> {
  const email = freshEmail();
  await expectStatus(201, api.post('/api/users', { fullName: 'Rosa Lima', email, password: PASSWORD }, clinic));
  const { body } = await expectStatus(200, api.post('/api/auth/login', { email, password: PASSWORD }));
  return { ...clinic, email, token: body.access_token };
}

type StreamEvent = { event: string; data: Body };

/** The events of a response. */
const eventsOf = (text: string): StreamEvent[] =>
  text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.+)$/.exec(block) ?? [];
      return { event, data: JSON.parse(data) };
    });
const textOf = (events: StreamEvent[]) =>
  events
    .filter(({ event }) => event === 'token')
    .map(({ data }) => data.text)
    .join('');

async function ask(clinic: Clinic, message: string, conversationId?: string): Promise<StreamEvent[]> {
  const answer = await expectStatus(200, api.post('/api/assistant/chat', { message, conversationId }, clinic));
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  return eventsOf(answer.text);
}

test('a conversation: a question, a confirmed booking, a rejected cancellation', async () => {
  const clinic = await newClinic(api, { plan: 'pro' });
  const doctor = await addDoctor(api, clinic);
  await addPatient(api, clinic, { fullName: 'Xóchitl Tecún' });
  const day = inDays(7);

  const asked = await ask(clinic, `Agenda a Xóchitl Tecún con la Dra. Rivas el ${day} a las 9:30`);
  expect(asked.map(({ event }) => event)).toEqual(['token', 'tool', 'confirm', 'token', 'done']);
  const { conversationId, source } = asked.at(-1)?.data ?? {};
  expect(source).toBe('rules');
  const confirm = asked[2]?.data;
  expect(confirm).toEqual({ actionId: expect.any(String), summary: expect.stringContaining('Agendar a Xóchitl Tecún') });
  expect((await api.get(`/api/appointments?date=${day}`, clinic)).body.total).toBe(0);

  // Concurrent confirmations book once, and only for the user who received the question.
  const colleague = await addUser(clinic);
  const path = `/api/assistant/actions/${confirm.actionId}`;
  await expectStatus(404, api.post(`${path}/confirm`, undefined, colleague));
  const statuses = (await Promise.all(Array.from({ length: 5 }, () => api.post(`${path}/confirm`, undefined, clinic)))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 409, 409, 409, 409]);
  const { body: booked } = await api.get(`/api/appointments?date=${day}`, clinic);
  expect(booked.appointments).toMatchObject([{ doctor_id: doctor.id, start_time: '09:30:00', status: 'confirmed', patients: { full_name: 'Xóchitl Tecún' } }]);
  expect((await expectStatus(409, api.post(`${path}/reject`, undefined, clinic))).body.code).toBe('ASSISTANT_ACTION_CLOSED');

  const agenda = await ask(clinic, `citas del ${day}`, conversationId);
  expect(textOf(agenda)).toContain('Xóchitl Tecún, Dra. Elena Rivas (confirmada) [2]');
  expect(textOf(agenda)).toContain(`/api/appointments/${booked.appointments[0].id}`);

  const cancel = await ask(clinic, 'Cancela la cita de Xóchitl Tecún', conversationId);
  const second = cancel.find(({ event }) => event === 'confirm')?.data;
  expect((await expectStatus(200, api.post(`/api/assistant/actions/${second.actionId}/reject`, undefined, clinic))).body).toMatchObject({
    kind: 'cancel',
    status: 'rejected',
  });
  expect((await api.get(`/api/appointments/${booked.appointments[0].id}`, clinic)).body.status).toBe('confirmed');

  expect((await expectStatus(200, api.get('/api/assistant/conversations', clinic))).body).toMatchObject({
    total: 1,
    conversations: [{ id: conversationId, message_count: 6 }],
  });
  const { body: stored } = await expectStatus(200, api.get(`/api/assistant/conversations/${conversationId}`, clinic));
  expect(stored.messages.map(({ role }: Body) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
  expect(stored.actions.map(({ status }: Body) => status)).toEqual(['confirmed', 'rejected']);
  await expectStatus(404, api.get(`/api/assistant/conversations/${conversationId}`, colleague));
  await expectStatus(404, api.post('/api/assistant/chat', { message: 'hola', conversationId }, colleague));
  await expectStatus(404, api.post('/api/assistant/chat', { message: 'hola', conversationId }, await newClinic(api)));
  await expectStatus(400, api.post('/api/assistant/chat', { message: ' ' }, clinic));
});
