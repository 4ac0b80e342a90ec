// The live stream: a clinic gets its own changes only, in order, and missed ones after a reconnect.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { type Api, apiAt, expectStatus } from './api.ts';
import { addDoctor, addPatient, book, booking, type Clinic, freshEmail, newClinic, PASSWORD } from './clinic.ts';
import { mailTo } from './mails.ts';
import { asOwner } from './product-internals.ts';

type LiveEvent = { id: string; event: string; data: Record<string, unknown> & { appointment: Record<string, unknown> } };

let api: Api;
let clinic: Clinic;
let other: Clinic;
const open: (() => void)[] = [];
beforeAll(async () => {
  api = apiAt(publicApi());
  [clinic, other] = await Promise.all([newClinic(api), newClinic(api)]);
});
afterAll(() => {
  for (const close of open) close();
});

/** Opens a stream and collects its events. */
async function listen(token: string, lastEventId?: string) {
  const ending = new AbortController();
  const headers = { Authorization: `Bearer ${token}`, ...(lastEventId && { 'Last-Event-ID': lastEventId }) };
  const response = await fetch(`${publicApi().baseUrl}/api/events`, { headers, signal: ending.signal });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const events: LiveEvent[] = [];
  let text = '';
  void (async () => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const blocks = (text + Buffer.from(chunk).toString()).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]));
        const [id = '', event = '', data = ''] = [fields.get('id'), fields.get('event'), fields.get('data')];
        if (id) events.push({ id, event, data: JSON.parse(data) });
      }
    }
  })().catch(() => {});
  const close = () => ending.abort();
  open.push(close);
  return { events, close };
}

test('a booking and its cancellation are sent to their clinic only, and missed ones after Last-Event-ID', async () => {
  const [doctor, foreign] = await Promise.all([addDoctor(api, clinic), addDoctor(api, other)]);
  const [mine, theirs] = await Promise.all([listen(clinic.token), listen(other.token)]);
  const first = await book(api, clinic, booking(doctor.id, '08:00'));
  await book(api, other, booking(foreign.id, '08:00'));
  await waitFor(() => mine.events.length === 1 && theirs.events.length === 1);
  expect(mine.events[0]).toMatchObject({ event: 'appointment_booked', data: { appointment: { appointment_id: first.id, status: 'confirmed' } } });
  expect(JSON.stringify(mine.events)).not.toMatch(/Luis|\+503/);

  mine.close();
  await expectStatus(200, api.patch(`/api/appointments/${first.id}/status`, { status: 'cancelled' }, clinic));
  const second = await book(api, clinic, booking(doctor.id, '09:00'));
  const resumed = await listen(clinic.token, mine.events[0]?.id);
  await waitFor(() => resumed.events.length === 2);
  expect(resumed.events.map(({ event, data }) => [event, data.appointment.appointment_id])).toEqual([
    ['appointment_status_changed', first.id],
    ['appointment_booked', second.id],
  ]);
  const third = await book(api, clinic, booking(doctor.id, '10:00'));
  await waitFor(() => resumed.events.length === 3);
  expect(resumed.events[2]?.data.appointment.appointment_id).toBe(third.id);
});

test('events of a conversation name it as the list of conversations does, also those that were missed', async () => {
  const writing = await newClinic(api);
  const patient = await addPatient(api, writing);
  await expectStatus(200, api.put('/api/clinics/chat-config', { phoneNumberId: `live-${writing.id}`, accessToken: 'EAAGlive-token' }, writing));
  await waitFor(async () => (await api.get('/api/chat/status', writing)).body.status === 'active');
  const { events, close } = await listen(writing.token);
  const send = (what: string, body?: object) => api.post(`/api/conversations/${encodeURIComponent(patient.phone)}/${what}`, body, writing);
  await expectStatus(201, send('reply', { template: { name: 'saludo', language: 'es', variables: [] } }));
  const { conversations } = (await expectStatus(200, api.get('/api/conversations', writing))).body;
  const named = { conversation_id: conversations[0].id, phone: patient.phone };
  const ofConversation = (all: LiveEvent[]) => all.filter(({ event }) => event === 'conversation_updated');
  await waitFor(() => ofConversation(events).length > 0);
  expect(ofConversation(events)[0]?.data).toMatchObject({ ...named, patient_id: patient.id, mode: 'human' });
  close();
  const last = events.at(-1)?.id;
  await expectStatus(200, send('release'));
  const resumed = await listen(writing.token, last);
  await waitFor(() => ofConversation(resumed.events).some(({ data }) => data.change === 'release'));
  for (const { data } of ofConversation(resumed.events)) expect(data).toMatchObject(named);
});

test('a near expiry is sent to the stream, and to the admins by mail', async () => {
  const expiring = await newClinic(api, { plan: 'basic' });
  const { events } = await listen(expiring.token);
  await expectStatus(200, api.patch(`/api/superadmin/clinics/${expiring.id}`, { expiresInDays: 3 }, api.operator));
  await asOwner(publicApi(), `insert into identity_jobs.job (name, data) values ('warn-of-expiry', '{}')`);
  await waitFor(() => events.length === 1);
  expect(events[0]).toMatchObject({ event: 'subscription_expiring', data: { days_left: 3, plan: 'basic' } });
  expect(await mailTo(expiring.email)).toMatch(
    /\nSubject: La suscripción de .+ termina en 3 días\n[\s\S]*Hola, Ana Morales:[\s\S]* termina el \d+ de \w+ de \d+/,
  );
});

test('a stream ends when the sessions of its user end, and a stream of a colleague does not', async () => {
  const mine = await newClinic(api);
  const colleague = { email: freshEmail(), password: PASSWORD };
  await expectStatus(201, api.post('/api/users', { ...colleague, fullName: 'Eva Sol' }, mine));
  const { access_token, user } = (await expectStatus(200, api.post('/api/auth/login', colleague))).body;
  const stays = await listen(mine.token);
  // Shorter than the interval at which a stream checks the access anyway.
  const ends = await fetch(`${publicApi().baseUrl}/api/events`, { headers: { Authorization: `Bearer ${access_token}` }, signal: AbortSignal.timeout(45_000) });
  await expectStatus(200, api.patch(`/api/users/${user.id}`, { isActive: false }, mine));
  await ends.text();
  const { id } = await book(api, mine, booking((await addDoctor(api, mine)).id, '08:00'));
  await waitFor(() => stays.events.length === 1);
  expect(stays.events[0]?.data.appointment.appointment_id).toBe(id);
});

test('without a token the stream is refused', async () => {
  expect((await api.get('/api/events')).status).toBe(401);
});

test('webhooks of a booking reach the endpoint of its clinic, signed, and are listed', async () => {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body });
    response.end('thanks');
  });
  open.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { body: endpoint } = await expectStatus(201, api.post('/api/webhook-endpoints', { url, events: ['appointment.booked'] }, clinic));
  const doctor = await addDoctor(api, clinic);
  const { id } = await book(api, clinic, booking(doctor.id, '10:00'));
  await waitFor(async () => {
    const { body } = await api.get(`/api/webhook-endpoints/${endpoint.id}/deliveries?status=delivered`, clinic);
    expect(body).toMatchObject({ total: 1, deliveries: [{ type: 'appointment.booked', response_status: 200, response_body: 'thanks' }] });
  });
  const [{ body, headers }] = received as [(typeof received)[0]];
  expect(received).toHaveLength(1);
  expect(new Webhook(endpoint.secret).verify(body, headers as Record<string, string>)).toMatchObject({
    type: 'appointment.booked',
    data: { appointment: { appointment_id: id, status: 'confirmed' } },
  });
  for (const secret of ['Luis', '+503']) expect(body).not.toContain(secret);
  await expectStatus(200, api.delete(`/api/webhook-endpoints/${endpoint.id}`, clinic));
});
