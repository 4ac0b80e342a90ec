// Webhooks from the event to the receiver: signatures, repetition, order, failures, and disabled endpoints.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { create, type DescMessage, type Message } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { readSystem, sql } from '@clinic/lib/db/db.ts';
import type { Consumer } from '@clinic/lib/events/events.ts';
import { handleOnce } from '@clinic/lib/events/inbox.ts';
import { asAdmin, asUser } from '@clinic/lib/testing/callers.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { PaymentRecordedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { ConversationUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import { AppointmentBookedSchema, AppointmentStatusChangedSchema, PatientsChangedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { CreatedWebhookEndpointSchema, WebhookEndpointSchema, WebhookService } from '@clinic/proto/messaging/v1/webhook_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { createClients } from '../app.ts';
import { createClinics } from '../clinics/clinics.ts';
import { type Messaging, startMessaging } from '../testing/messaging.ts';
import { onEvents } from './on-events.ts';
import { RETRY_MS } from './retry-rules.ts';

type Received = { path: string; headers: IncomingHttpHeaders; body: string };

let m: Messaging;
let consumers: Consumer[];
const received: Received[] = [];
/** The responses of the receiver by path; 200 for other paths. */
const answers = new Map<string, (response: ServerResponse) => void>();
/** How identity describes clinics that are not usual, by id. */
const states = new Map<string, object>();
/** How long ago the consumers store deliveries, in milliseconds. */
let storedBefore = 0;
const server = createServer(async (request, response) => {
  const path = request.url ?? '';
  let body = '';
  for await (const chunk of request) body += chunk;
  received.push({ path, headers: request.headers, body });
  const answer = answers.get(path);
  if (answer) answer(response);
  else response.end('thanks');
});
const at = (path: string) => received.filter((one) => one.path === path);
const fails = (status: number) => (response: ServerResponse) => void response.writeHead(status).end(`no: ${status}`);

beforeAll(async () => {
  m = await startMessaging({ settings: { NODE_ENV: 'development' } });
  const { resolveClinic } = m.answers;
  m.answers.resolveClinic = (request: { clinicId: string }, call) => ({
    ...(resolveClinic?.(request as never, call) as object),
    features: ['webhooks'],
    ...states.get(request.clinicId),
  });
  m.answers.listUsers = () => ({ users: [{ id: randomUUID(), email: 'ana@example.com', fullName: 'Ana', appRole: 'admin', isActive: true }], total: 1 });
  const clients = createClients((name) => m.dependencies[name as keyof typeof m.dependencies] ?? m.service.transport);
  const clock = { now: () => new Date(systemClock.now().getTime() - storedBefore) };
  consumers = onEvents({ db: m.service.db, clock, clinics: createClinics(clients.identity.access, systemClock) } as App);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await m.stop();
});

const hooks = () => m.service.client(WebhookService);
const urlOf = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

/** A new clinic with an endpoint at a unique path. */
async function endpoint(events: string[], clinicId: string = randomUUID()) {
  const path = `/${randomUUID()}`;
  const admin = asAdmin(clinicId);
  const { id, secret } = await hooks().createWebhookEndpoint({ url: urlOf(path), events }, admin);
  const deliveries = async (status?: string) => (await hooks().listWebhookDeliveries({ id, page: 1, limit: 50, ...(status && { status }) }, admin)).deliveries;
  return { id, secret, path, clinicId, admin, deliveries };
}

// biome-ignore lint/suspicious/noExplicitAny: events of several contracts
async function publish(schema: any, clinicId: string, init: object, id = v7()): Promise<string> {
  const consumer = consumers.find(({ event }) => event === schema) as Consumer;
  await deliver(m.service.db, consumer, clinicId, create(schema, init) as Message, id);
  return id;
}
const appointment = (appointmentId: string, status = 'confirmed') => ({
  appointment: { appointmentId, doctorId: randomUUID(), patientId: randomUUID(), status, revision: 1, timezone: 'America/El_Salvador' },
});

test('an event of a clinic without endpoints leaves no row in the inbox, and is not sent to an endpoint that is added later', async () => {
  const consumer = consumers.find(({ event }) => event === AppointmentBookedSchema) as Consumer;
  const delivered = (clinicId: string) => ({
    event: create(AppointmentBookedSchema, appointment(randomUUID())),
    envelope: { id: v7(), clinicId, subject: '' },
  });
  const clinicId = randomUUID();
  const early = delivered(clinicId);
  await sleep(2); // the time of an endpoint and of an event in milliseconds
  const known = async (event: { envelope: { id: string } }) => (await readSystem(m.service.db, findInbox, [event.envelope.id])).length === 1;
  await handleOnce(m.service.db, consumer, [early]);
  const { id, path, admin } = await endpoint(['appointment.booked'], clinicId);
  await handleOnce(m.service.db, consumer, [early]);
  expect(await known(early)).toBe(false);
  await hooks().updateWebhookEndpoint({ id, isActive: false }, admin);
  const off = delivered(clinicId);
  await handleOnce(m.service.db, consumer, [off]);
  await hooks().updateWebhookEndpoint({ id, isActive: true }, admin);
  await handleOnce(m.service.db, consumer, [off, early]);
  expect(await known(off)).toBe(true);
  const now = delivered(clinicId);
  await handleOnce(m.service.db, consumer, [now]);
  await waitFor(() => expect(at(path).length).toBe(1));
  expect(JSON.parse(at(path)[0]?.body ?? '{}')).toMatchObject({ data: { appointment: { appointment_id: now.event.appointment?.appointmentId } } });
});
const findInbox = sql<{ consumer: string }>('select consumer from inbox where event_id = $1');

test('an event is sent once to each endpoint that wants it, signed, with ids and states only', async () => {
  const one = await endpoint(['appointment.booked', 'payment.recorded']);
  const other = await endpoint(['payment.recorded'], one.clinicId);
  const foreign = await endpoint(['appointment.booked']);
  const appointmentId = randomUUID();
  const eventId = await publish(AppointmentBookedSchema, one.clinicId, appointment(appointmentId));
  await publish(AppointmentBookedSchema, one.clinicId, appointment(appointmentId), eventId);
  const payment = { payment: { paymentId: randomUUID(), amountCents: 2550n, paymentMethod: 'cash' }, paymentPlan: { paymentPlanId: randomUUID() } };
  await publish(PaymentRecordedSchema, one.clinicId, payment);
  await waitFor(() => expect([at(one.path).length, at(other.path).length]).toEqual([2, 1]));
  const [booked] = at(one.path) as [Received];
  expect(booked.headers['webhook-id']).toBe(`msg_${eventId}`);
  expect(new Webhook(one.secret).verify(booked.body, booked.headers as Record<string, string>)).toEqual({
    type: 'appointment.booked',
    timestamp: expect.stringMatching(/Z$/),
    data: { appointment: expect.objectContaining({ appointment_id: appointmentId, status: 'confirmed', starts_at: null, source: null }) },
  });
  expect(JSON.parse(at(other.path)[0]?.body ?? '')).toMatchObject({ type: 'payment.recorded', data: { payment: { amount: 25.5, voided_at: null } } });
  await waitFor(async () => expect(await one.deliveries('delivered')).toHaveLength(2));
  expect((await one.deliveries())[1]).toMatchObject({ type: 'appointment.booked', attempts: 1, responseStatus: 200, responseBody: 'thanks' });
  expect(at(foreign.path)).toEqual([]);
});

test('records of a list are sent one by one; of conversations only changes of the mode are sent', async () => {
  const { path, clinicId } = await endpoint(['patient.updated', 'conversation.mode_changed']);
  await publish(PatientsChangedSchema, clinicId, { patients: [randomUUID(), randomUUID()].map((patientId) => ({ patientId })) });
  await publish(ConversationUpdatedSchema, clinicId, { conversationId: randomUUID(), mode: 'bot', change: 'message', unreadCount: 2 });
  await publish(ConversationUpdatedSchema, clinicId, { conversationId: randomUUID(), mode: 'human', change: 'takeover', unreadCount: 2 });
  await waitFor(() => expect(at(path)).toHaveLength(3));
  const sent = at(path).map(({ body }) => JSON.parse(body));
  expect(sent.filter(({ type }) => type === 'patient.updated')).toHaveLength(2);
  const [mode] = sent.filter(({ type }) => type === 'conversation.mode_changed');
  expect(mode.data).toEqual({ conversation_id: expect.any(String), patient_id: null, mode: 'human', revision: 0 });
});

test('a failed delivery is retried before later ones of the same record, and is sent again with the same id', async () => {
  const { path, clinicId, deliveries, admin } = await endpoint(['appointment.booked', 'appointment.status_changed']);
  answers.set(path, fails(500));
  const appointmentId = randomUUID();
  const eventId = await publish(AppointmentBookedSchema, clinicId, appointment(appointmentId));
  await waitFor(async () => expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 1, responseStatus: 500, responseBody: 'no: 500' }]));
  answers.delete(path);
  await publish(AppointmentStatusChangedSchema, clinicId, appointment(appointmentId, 'completed'));
  await publish(AppointmentBookedSchema, clinicId, appointment(randomUUID()));
  await waitFor(() => expect(at(path)).toHaveLength(2)); // the other appointment does not wait
  const [first] = (await deliveries()).filter(({ messageId }) => messageId === `msg_${eventId}`);
  await hooks().redeliverWebhook({ id: first?.id ?? '' }, admin);
  await waitFor(async () => expect(await deliveries('delivered')).toHaveLength(3));
  expect(at(path).map(({ headers }) => headers['webhook-id'] === `msg_${eventId}`)).toEqual([true, false, true, false]);
});

test('an endpoint that never responds delays no other', async () => {
  const dead = await endpoint(['appointment.booked']);
  answers.set(dead.path, () => {});
  const quick = await endpoint(['appointment.booked'], dead.clinicId);
  for (let n = 0; n < 5; n++) await publish(AppointmentBookedSchema, dead.clinicId, appointment(randomUUID()));
  await waitFor(() => expect(at(quick.path)).toHaveLength(5));
  expect(at(dead.path)).toHaveLength(1);
  expect(await dead.deliveries('pending')).toHaveLength(5);
  await hooks().deleteWebhookEndpoint({ id: dead.id }, dead.admin);
});

test('while a secret is rotated, deliveries are signed with both', async () => {
  const { id, secret, path, clinicId, admin } = await endpoint(['appointment.booked']);
  const rotated = await hooks().rotateWebhookSecret({ id }, admin);
  expect(rotated.secret).not.toBe(secret);
  await publish(AppointmentBookedSchema, clinicId, appointment(randomUUID()));
  await waitFor(() => expect(at(path)).toHaveLength(1));
  const [{ body, headers }] = at(path) as [Received];
  for (const one of [secret, rotated.secret])
    expect(new Webhook(one).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'appointment.booked' });
  const stored = await m.look('select * from webhook_endpoints where id = $1', [id]);
  expect(JSON.stringify(stored)).not.toContain(secret);
});

test('a disabled endpoint receives nothing more, and pending deliveries are cancelled', async () => {
  const { id, path, clinicId, admin, deliveries } = await endpoint(['appointment.booked']);
  answers.set(path, fails(503));
  await publish(AppointmentBookedSchema, clinicId, appointment(randomUUID()));
  await waitFor(async () => expect(await deliveries('pending')).toMatchObject([{ attempts: 1 }]));
  await hooks().updateWebhookEndpoint({ id, isActive: false }, admin);
  answers.delete(path);
  const [cancelled] = await deliveries('cancelled');
  await publish(AppointmentBookedSchema, clinicId, appointment(randomUUID()));
  await expect(hooks().redeliverWebhook({ id: cancelled?.id ?? '' }, admin)).rejects.toMatchObject({ reason: 'WEBHOOK_DISABLED' });
  expect(await hooks().updateWebhookEndpoint({ id, isActive: true }, admin)).toMatchObject({ isActive: true });
  await publish(AppointmentBookedSchema, clinicId, appointment(randomUUID()));
  await waitFor(async () => expect(await deliveries('delivered')).toHaveLength(1));
  expect(at(path)).toHaveLength(2);
});

/** Publishes an event for an endpoint, and returns the response that the endpoint has not sent yet. */
async function beginAttempt(path: string, clinicId: string): Promise<ServerResponse> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  answers.set(path, resolve);
  await publish(AppointmentBookedSchema, clinicId, appointment(randomUUID()));
  return promise;
}

test('a delivery in progress while its endpoint is disabled is not retried', async () => {
  const { id, path, clinicId, admin, deliveries } = await endpoint(['appointment.booked']);
  const response = await beginAttempt(path, clinicId);
  await hooks().updateWebhookEndpoint({ id, isActive: false }, admin);
  fails(503)(response);
  await waitFor(async () => expect(await deliveries()).toMatchObject([{ attempts: 1, status: 'cancelled', responseStatus: 503 }]));
});

test.each([
  ['the last', RETRY_MS],
  ['another', 1_000],
])('a delivery that is sent again while %s attempt fails is attempted at once', async (_, age) => {
  const { path, clinicId, admin, deliveries } = await endpoint(['appointment.booked']);
  storedBefore = age;
  const response = await beginAttempt(path, clinicId).finally(() => {
    storedBefore = 0;
  });
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  answers.set(path, resolve);
  const [{ id = '' } = {}] = await deliveries();
  const { nextAttemptAt } = await hooks().redeliverWebhook({ id }, admin);
  fails(503)(response);
  await waitFor(async () => (await deliveries())[0]?.attempts !== 0);
  expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 1, nextAttemptAt }]);
  (await promise).end();
  await waitFor(async () => (await deliveries())[0]?.status !== 'pending');
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
});

test('deliveries that were stored, and an endpoint that was claimed and paused, before the clock was set back do not wait', async () => {
  const { id, clinicId, deliveries } = await endpoint(['appointment.booked']);
  const hold = `
    update webhook_endpoints set claim = gen_random_uuid(), claimed_until = now() + $2::interval, paused_until = now() + $2::interval where id = $1`;
  await m.look(hold, [id, '30 s']);
  storedBefore = -8 * 3_600_000;
  await publish(AppointmentBookedSchema, clinicId, appointment(randomUUID()));
  await m.look('update webhook_deliveries set attempts = 1 where endpoint_id = $1', [id]);
  await m.look(hold, [id, '8 h']);
  await publish(AppointmentBookedSchema, clinicId, appointment(randomUUID())).finally(() => {
    storedBefore = 0;
  });
  await waitFor(async () => (await deliveries('delivered')).length === 2);
});

test('a process whose claim has ended during an attempt does not repeat the attempt at the same time', async () => {
  const { id, path, clinicId, deliveries } = await endpoint(['appointment.booked']);
  const other = await endpoint(['appointment.booked'], clinicId);
  const response = await beginAttempt(path, clinicId);
  await m.look("update webhook_endpoints set claimed_until = now() - interval '1 second' where id = $1", [id]);
  await publish(AppointmentBookedSchema, clinicId, appointment(randomUUID()));
  await waitFor(async () => (await other.deliveries('delivered')).length === 2);
  answers.delete(path);
  response.end();
  await waitFor(async () => (await deliveries('delivered')).length === 2);
  expect(at(path)).toHaveLength(2);
});

test.each([
  ['disabled', 410],
  ['given another URL', 503],
  ['given another URL', 410],
])('a failure of an attempt that began before the endpoint was %s does not change the endpoint: %i', async (change, code) => {
  const { id, path, clinicId, admin, deliveries } = await endpoint(['appointment.booked']);
  const response = await beginAttempt(path, clinicId);
  const changed = await hooks().updateWebhookEndpoint({ id, ...(change === 'disabled' ? { isActive: false } : { url: urlOf(`${path}/new`) }) }, admin);
  fails(code)(response);
  await waitFor(async () => (await deliveries())[0]?.attempts !== 0);
  expect((await hooks().listWebhookEndpoints({ page: 1, limit: 50 }, admin)).endpoints).toEqual([changed]);
  expect(await m.look("select 1 from audit_log where entity_id = $1 and action = 'webhook_endpoint.disabled'", [id])).toEqual([]);
});

test('an event that is stored while its endpoint is being disabled leaves no delivery', async () => {
  const { id, clinicId, deliveries } = await endpoint(['appointment.booked']);
  const { ownerUrl } = m.service.database;
  const other = new pg.Client({ connectionString: ownerUrl });
  await other.connect();
  await other.query('begin');
  await other.query('update messaging.webhook_endpoints set is_active = false where id = $1', [id]);
  const stored = publish(AppointmentBookedSchema, clinicId, appointment(randomUUID()));
  await waitForLocked(ownerUrl, 1, '%insert into webhook_deliveries%');
  await other.query('commit');
  await other.end();
  await stored;
  expect(await deliveries()).toEqual([]);
});

test.each([
  ['is suspended', { isActive: false }],
  ['has expired', { subscriptionExpiresAt: timestampFromDate(new Date(0)) }],
  ['has lost the feature', { features: [] }],
])('pending deliveries of a clinic that %s are cancelled when they are due', async (_, state) => {
  const { path, clinicId, admin, deliveries } = await endpoint(['appointment.booked']);
  const response = await beginAttempt(path, clinicId);
  states.set(clinicId, state);
  fails(503)(response);
  await waitFor(async () => expect(await deliveries()).toMatchObject([{ attempts: 1 }]));
  await hooks().redeliverWebhook({ id: (await deliveries())[0]?.id ?? '' }, admin);
  await waitFor(async () => expect(await deliveries()).toMatchObject([{ attempts: 1, status: 'cancelled' }]));
  expect(at(path)).toHaveLength(1);
});

test('an endpoint that responds with 410 is disabled, and the admins get a mail', async () => {
  const { id, path, clinicId, admin } = await endpoint(['appointment.booked']);
  answers.set(path, fails(410));
  await publish(AppointmentBookedSchema, clinicId, appointment(randomUUID()));
  await waitFor(async () => {
    const { endpoints } = await hooks().listWebhookEndpoints({ page: 1, limit: 50 }, admin);
    expect(endpoints).toMatchObject([{ id, isActive: false, disabledReason: 'gone' }]);
    expect(await m.look(`select kind from mails where reference like $1`, [`${id}%`])).toEqual([{ kind: 'webhook_disabled' }]);
  });
});

test('a test is sent immediately, and returns the response', async () => {
  const { id, secret, path, admin } = await endpoint(['appointment.booked']);
  answers.set(path, fails(418));
  expect(await hooks().testWebhookEndpoint({ id }, admin)).toMatchObject({ delivered: false, responseStatus: 418, responseBody: 'no: 418' });
  const [{ body, headers }] = at(path) as [Received];
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'webhook.test', data: { endpoint_id: id } });
  await hooks().updateWebhookEndpoint({ id, url: 'http://127.0.0.1:1/' }, admin);
  expect(await hooks().testWebhookEndpoint({ id }, admin)).toMatchObject({ delivered: false, error: 'ECONNREFUSED' });
});

test('endpoints are managed by the admins of their clinic; a clinic has at most 20', async () => {
  const { id, clinicId, admin } = await endpoint(['appointment.booked']);
  await expect(hooks().deleteWebhookEndpoint({ id }, asAdmin(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(hooks().listWebhookEndpoints({ page: 1, limit: 5 }, asUser(clinicId))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  const create = () => hooks().createWebhookEndpoint({ url: urlOf('/x'), events: ['patient.created'] }, admin);
  const outcomes = await Promise.allSettled(Array.from({ length: 21 }, create));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(19);
  expect(outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.reason] : []))).toEqual(['WEBHOOK_LIMIT_REACHED', 'WEBHOOK_LIMIT_REACHED']);
});

test('the response of the creation has the fields of an endpoint and the secret', async () => {
  const admin = asAdmin(randomUUID());
  const { secret, $typeName, ...created } = await hooks().createWebhookEndpoint({ url: urlOf('/x'), events: ['patient.created'] }, admin);
  const { endpoints } = await hooks().listWebhookEndpoints({ page: 1, limit: 1 }, admin);
  expect(endpoints).toEqual([{ ...created, $typeName: 'clinic.messaging.v1.WebhookEndpoint' }]);
  const namesOf = ({ fields }: DescMessage) => fields.map(({ name }) => name);
  expect(namesOf(CreatedWebhookEndpointSchema).sort()).toEqual([...namesOf(WebhookEndpointSchema), 'secret'].sort());
});

test.each([
  [{ url: 'ftp://example.com/' }, 'url'],
  [{ url: 'https://ana:secret@example.com/' }, 'url'],
  [{ url: 'example' }, 'url'],
  [{ events: [] }, 'events'],
  [{ events: ['patient.created', 'patient.deleted'] }, 'events.1'],
])('%j is refused', async (changed, path) => {
  const request = { url: 'https://example.com/', events: ['patient.created'], ...changed };
  await expect(hooks().createWebhookEndpoint(request, asAdmin(randomUUID()))).rejects.toMatchObject({ details: [{ path }] });
});

test('the audit log has what an admin changed, without the path of the URL, and nothing for an unchanged endpoint', async () => {
  const { id, path, admin } = await endpoint(['appointment.booked']);
  for (let i = 0; i < 2; i++) await hooks().updateWebhookEndpoint({ id, description: 'Agenda' }, admin);
  await hooks().updateWebhookEndpoint({ id, url: urlOf(`${path}/more`) }, admin);
  await hooks().updateWebhookEndpoint({ id, isActive: true }, admin);
  const logged = await m.look("select changes from audit_log where entity_id = $1 and action = 'webhook_endpoint.updated' order by id", [id]);
  expect(logged).toEqual([{ changes: { description: { from: null, to: 'Agenda' } } }, { changes: { url: { from: '***', to: '***' } } }]);
  await hooks().deleteWebhookEndpoint({ id }, admin);
  const [deleted] = await m.look("select changes from audit_log where entity_id = $1 and action = 'webhook_endpoint.deleted'", [id]);
  expect(deleted).toEqual({ changes: { host: new URL(urlOf(path)).host, events: ['appointment.booked'] } });
});
