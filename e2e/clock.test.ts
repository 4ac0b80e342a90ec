// A clinic in New York over two years, with a clock that is really set: libfaketime is loaded into every process, the simulators and PostgreSQL.
// Each test begins at the time at which the previous one ended.
import { createHmac, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../lib/runtime/free-port.ts';
import { library, movedClock } from '../scripts/dev/moved-clock.ts';
import { tempFolder } from '../scripts/dev/temp-folder.ts';
import { INVOICE, ISSUER } from '../services/billing/testing/tax-orders.ts';
import { type Api, apiAt, type Body, expectStatus } from './api.ts';
import { addDoctor, addPatient, book, type Clinic, everyDay, freeSlots, newClinic, PASSWORD } from './clinic.ts';
import { mailsTo } from './mails.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';
import { asOwner } from './product-internals.ts';
import { patientPhone } from './setup/patient-phone.ts';

const START = '2027-10-25T13:00:00Z'; // Monday, 09:00 in New York
const PAYMENTS_SECRET = 'a-secret-of-the-tests';

const folder = tempFolder('clock');
const clock = movedClock(folder, START);
let product: OwnProduct;
let api: Api;
let simulator: string;
let authority: string;
let clinic: Clinic;
let doctor: Body;
let number: string;
/** A patient with an appointment in the past. */
let returning: Patient;
/** The path of a new payment plan. */
let plans: string;

const withLibrary = library ? describe : describe.skip;

beforeAll(async () => {
  if (!library) return;
  const [chatPort, authorityPort] = [String(await freePort()), String(await freePort())];
  simulator = `http://127.0.0.1:${chatPort}`;
  authority = `http://127.0.0.1:${authorityPort}`;
  const payments = { PAYMENTS_WEBHOOK_SECRET: PAYMENTS_SECRET, PAYMENTS_VARIANTS: JSON.stringify({ 222: { plan: 'pro', cycle: 'month' } }) };
  const env = { ...clock.env, ...payments, CHAT_SIMULATOR_PORT: chatPort, DTE_SIMULATOR_PORT: authorityPort };
  product = await startOwnProduct(env, publicApi().topology);
  api = apiAt(product.api);
  clinic = await newClinic(api, { registration: { timezone: 'America/New_York' } });
  await expectStatus(200, api.patch(`/api/superadmin/clinics/${clinic.id}`, { expiresInDays: 900 }, api.operator));
  doctor = await addDoctor(api, clinic, { workingHours: everyDay('08:00', '20:00') });
  number = await bind('+12025550100');
});
afterAll(async () => {
  await product?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const start = (phone: string) => ({ phone, otpMethod: 'sms', wabaId: `waba-${phone}`, accessToken: 'EAAGclock-token' });
async function bind(phone: string): Promise<string> {
  await expectStatus(200, api.post('/api/chat/start', start(phone), clinic));
  await expectStatus(200, api.post('/api/chat/verify-otp', { code: '123456' }, clinic));
  return `999${phone.slice(1)}`;
}

/** Sets the clock, signs in again, and waits until the scheduled jobs, named as service/job, have run. */
async function go(to: string, ...jobs: string[]): Promise<void> {
  await clock.set(to);
  clinic.token = (await expectStatus(200, api.post('/api/auth/login', { email: clinic.email, password: PASSWORD }))).body.access_token;
  for (const job of jobs) {
    const [service, name] = job.split('/');
    const ended = `select from ${service}_jobs.job where name = $1 and state = 'completed' and completed_on between $2 and $2::timestamptz + interval '5 minutes'`;
    await waitFor(async () => (await asOwner(product.api, ended, [name, to])).length > 0);
  }
}

const isIdle = `select count(*)::int as waiting from messaging.outbound where state in ('queued', 'sending', 'uncertain') and next_attempt_at <= $1`;
/** Waits until due reminders are queued and all messages that may be sent now are sent. */
async function sent(): Promise<void> {
  await waitFor(async () => expect(await asOwner(product.api, isIdle, [clock.now()])).toEqual([{ waiting: 0 }]));
}

let patients = 0;
/** The phone of a patient with an appointment. */
async function appointment(appointmentDate: string, startTime: string) {
  const phone = `+1202555${String(1000 + ++patients)}`;
  const body = await book(api, clinic, { doctorId: doctor.id, appointmentDate, startTime, patientName: `Paciente ${patients}`, patientPhone: phone });
  return { id: body.id as string, patientId: body.patient_id as string, ...patientPhone(simulator, number, phone) };
}
type Patient = Awaited<ReturnType<typeof appointment>>;
/** Waits until the phone has received so many messages in total, and no more are being sent. */
async function received(patient: Patient, count: number): Promise<void> {
  await waitFor(async () => expect(await patient.messages()).toHaveLength(count));
  await sent();
  expect(await patient.messages()).toHaveLength(count);
}
const fault = (what: Body) => fetch(`${simulator}/simulator/faults`, { method: 'POST', body: JSON.stringify(what) });
const forget = () => fetch(`${simulator}/simulator/seen`, { method: 'DELETE' });

/** The mails to an address whose text matches. */
const mailsWith = (words: RegExp, email: string) => mailsTo(email, product.api).filter((text) => words.test(text));

withLibrary(library ? 'with a clock that is moved' : 'with a clock that is moved (skipped: libfaketime is not installed)', () => {
  test('an action of the assistant can be confirmed for an hour, and another number is connected within a day or not at all', async () => {
    await addPatient(api, clinic, { fullName: 'Xóchitl Tecún' });
    const message = 'Agenda a Xóchitl Tecún con la Dra. Rivas el 2027-11-20 a las 9:30';
    const asked = await expectStatus(200, api.post('/api/assistant/chat', { message }, clinic));
    const [, actionId] = /"actionId":"([^"]+)"/.exec(asked.text) ?? [];
    expect((await expectStatus(200, api.post('/api/chat/start', start('+12025550199'), clinic))).body.status).toBe('pending_otp');
    await issuer();
    await go('2027-10-25T14:30:00Z');
    expect((await api.post(`/api/assistant/actions/${actionId}/confirm`, undefined, clinic)).body.code).toBe('ASSISTANT_ACTION_CLOSED');
    expect((await api.get('/api/appointments?date=2027-11-20', clinic)).body.total).toBe(0);

    await go('2027-10-26T14:40:00Z');
    await waitFor(async () => expect(await asOwner(product.api, 'select from messaging.next_channels')).toHaveLength(0));
    expect((await api.post('/api/chat/verify-otp', { code: '123456' }, clinic)).body.code).toBe('CHAT_NOT_STARTED');
    expect((await api.get('/api/chat/status', clinic)).body).toMatchObject({ status: 'active', number: '+12025550100' });
  });

  test('a rejected tax document can be corrected for 24 hours', async () => {
    await mood('refuses');
    const [first, second] = [(await checkout()).body.document_id, (await checkout()).body.document_id];
    await mood('answers');
    const correct = (id: string) => api.post(`/api/dte/documents/${id}/correct`, {}, clinic);
    await go('2027-10-27T13:01:00Z');
    expect((await correct(first)).body.status).toBe('processed');
    await go('2027-10-27T14:45:00Z');
    expect((await correct(second)).body.code).toBe('DTE_NOT_ALLOWED');
  });

  test('after an outage at night, messages that are late, obsolete or in quiet hours are not sent, and the others are sent once', async () => {
    const early = await appointment('2027-10-29', '09:00');
    const late = await appointment('2027-10-29', '17:00');
    const next = await appointment('2027-10-30', '10:00');
    await go('2027-10-28T13:01:00Z');
    await received(early, 1);

    await fault({ path: 'messages', times: 1_000_000, status: 500 });
    await go('2027-10-28T21:05:00Z', 'messaging/send-reminders'); // a day before 17:00
    await go('2027-10-29T03:30:00Z');
    await go('2027-10-29T11:05:00Z', 'messaging/send-reminders'); // two hours before 09:00
    await go('2027-10-29T14:30:00Z');
    await forget(); // the provider is available again, and the threads are empty
    await go('2027-10-29T14:40:00Z');
    await received(next, 1);
    await received(early, 0);
    await received(late, 0);

    await go('2027-10-29T19:05:00Z'); // two hours before 17:00
    await received(late, 1);
    await received(early, 0);
    await received(next, 1);
    await expectStatus(200, api.patch(`/api/appointments/${late.id}/status`, { status: 'completed' }, clinic));
    returning = late;
  });

  test('when clocks go back, reminders and the agenda keep their local time, and are sent once', async () => {
    const patient = await appointment('2027-11-07', '09:00');
    await expectStatus(200, api.put('/api/agenda/subscription', { enabled: true }, clinic));
    await go('2027-11-06T14:01:00Z'); // a day before, by the instant
    await received(patient, 1);
    for (const hour of ['05:30', '06:30', '11:30']) await go(`2027-11-07T${hour}:00Z`, 'messaging/send-reminders', 'scheduling/mark-agendas');
    await received(patient, 1);
    const agendas = () => mailsWith(/7 de noviembre/, clinic.email);
    expect(agendas()).toHaveLength(0);
    await go('2027-11-07T12:01:00Z', 'scheduling/mark-agendas'); // 07:01
    await received(patient, 2);
    await waitFor(() => agendas().length === 1);
  });

  test('during the grace period there are three warnings, and afterwards no access', async () => {
    const payer = await newClinic(api, { plan: 'trial' });
    const pay = async (event_name: string, attributes: Body) => {
      const meta = { event_name, webhook_id: randomUUID(), custom_data: { clinic_id: payer.id } };
      const data = { type: 'subscriptions', id: 1, attributes: { variant_id: 222, updated_at: clock.now().toISOString(), ...attributes } };
      const raw = JSON.stringify({ meta, data });
      await expectStatus(
        200,
        api.post('/webhooks/payments', raw, { headers: { 'X-Signature': createHmac('sha256', PAYMENTS_SECRET).update(raw).digest('hex') } }),
      );
    };
    await pay('subscription_created', { status: 'active', renews_at: '2027-11-07T18:00:00Z' });
    await pay('subscription_updated', { status: 'past_due', renews_at: '2027-11-07T18:00:00Z' });
    const expiry = async () => (await api.get('/api/superadmin/clinics', api.operator)).body.find(({ id }: Body) => id === payer.id).subscription_expires_at;
    await waitFor(async () => expect(await expiry()).toMatch(/^2027-11-14T12:/));
    const warnings = () => mailsWith(/termina el/, payer.email).length;
    for (const [instant, count] of Object.entries({ '2027-11-07T13:00:00Z': 1, '2027-11-11T12:30:00Z': 2, '2027-11-13T12:30:00Z': 3 })) {
      await go(instant, 'identity/warn-of-expiry');
      await waitFor(() => expect(warnings()).toBe(count));
    }
    await go('2027-11-14T12:30:00Z', 'identity/warn-of-expiry');
    const { body } = await expectStatus(200, api.post('/api/auth/login', { email: payer.email, password: PASSWORD }));
    await expectStatus(402, api.get('/api/doctors', { token: body.access_token }));
    expect(warnings()).toBe(3);
  });

  test('a recall is repeated after seven days, once', async () => {
    const campaign = {
      name: 'Limpieza',
      message_template: 'Hola {nombre}',
      send_time: '12:00',
      recall_interval_days: 14,
      max_attempts: 2,
      retry_interval_days: 7,
    };
    await expectStatus(201, api.post('/api/dental/recall-campaigns', campaign, clinic));
    await go('2027-11-15T08:05:00Z', 'dental/queue-recall');
    await received(returning, 1);
    await go('2027-11-15T18:05:00Z', 'dental/release-recall');
    await received(returning, 2);
    await go('2027-11-21T18:05:00Z', 'dental/queue-recall', 'dental/release-recall');
    await received(returning, 2);
    await go('2027-11-22T18:05:00Z', 'dental/queue-recall', 'dental/release-recall');
    await received(returning, 3);
    await go('2027-11-30T18:05:00Z', 'dental/queue-recall', 'dental/release-recall');
    await received(returning, 3);
  });

  test('at New Year, instalments of the 31st are due until midnight in the clinic, and documents have the date in El Salvador', async () => {
    const plan = await expectStatus(
      201,
      api.post(
        '/api/dental/payment-plans',
        {
          patient_id: returning.patientId,
          description: 'Corona',
          total_amount: 300,
          installments: 3,
          first_due_date: '2027-12-31',
          reminder_enabled: true,
          reminder_day_of_month: 28,
        },
        clinic,
      ),
    );
    plans = `/api/dental/payment-plans/${plan.body.id}`;
    await go('2027-12-28T13:30:00Z', 'dental/remind-of-payments'); // 08:30
    await received(returning, 3);
    await go('2027-12-28T14:10:00Z', 'dental/remind-of-payments');
    await received(returning, 4);
    await go('2028-01-01T04:30:00Z', 'dental/mark-overdue-plans');
    expect((await api.get(plans, clinic)).body.status).toBe('active');
    await go('2028-01-01T05:10:00Z', 'dental/mark-overdue-plans');
    await waitFor(async () => expect((await api.get(plans, clinic)).body.status).toBe('overdue'));
    expect((await expectStatus(201, checkout())).body.issued_on).toBe('2027-12-31');
    await go('2028-01-01T06:10:00Z');
    expect((await expectStatus(201, checkout())).body.issued_on).toBe('2028-01-01');
  });

  test('29 February is a day like any other', async () => {
    await go('2028-02-29T14:10:00Z', 'dental/remind-of-payments'); // the reminders of January and February were missed: one is sent
    await received(returning, 5);
    const { body } = await api.get(plans, clinic);
    expect(body.installments.map(({ due_date }: Body) => due_date)).toEqual(['2027-12-31', '2028-01-31', '2028-02-29']);
    const patient = await appointment('2028-02-29', '15:00');
    await go('2028-02-29T18:05:00Z');
    await received(patient, 1);
  });

  test('when clocks go forward, reminders keep their local time', async () => {
    const patient = await appointment('2028-03-12', '09:00');
    await go('2028-03-11T13:05:00Z');
    await received(patient, 1);
    await go('2028-03-12T10:30:00Z', 'messaging/send-reminders'); // 06:30
    await received(patient, 1);
    await go('2028-03-12T11:05:00Z');
    await received(patient, 2);
  });

  test('after the clock is set back by three hours, the chat works, scheduled jobs continue, and slots are not held longer', async () => {
    const patient = patientPhone(simulator, number, '+12025557777');
    await patient.say('Hola');
    await expectStatus(201, api.post('/api/slot-drafts', { doctorId: doctor.id, appointmentDate: '2028-03-14', startTime: '10:00' }, clinic));
    expect(await freeSlots(api, clinic, doctor.id, '2028-03-14')).not.toContain('10:00');
    await go('2028-03-12T08:05:00Z', 'scheduling/delete-expired-drafts');
    expect((await patient.say('Hola')).text).not.toBe('');
    await waitFor(async () => expect(await freeSlots(api, clinic, doctor.id, '2028-03-14')).toContain('10:00'));
    const byCron = "select from messaging_jobs.job where name = 'send-reminders' and singleton_key is null and completed_on between $1 and $2";
    await waitFor(async () => (await asOwner(product.api, byCron, ['2028-03-12T08:05:00Z', '2028-03-12T08:15:00Z'])).length > 0);
  });

  test('after the clock is set forward by hours, only messages that are still useful are sent', async () => {
    const over = await appointment('2028-03-12', '11:30');
    const soon = await appointment('2028-03-12', '14:00');
    await go('2028-03-12T16:10:00Z', 'messaging/send-reminders'); // 12:10
    await received(soon, 1);
    await received(over, 0);
  });
});

const CERTIFICATE_PASSWORD = 'Clave-Del-Certificado-1';

async function control(what: string, body: Body): Promise<Body> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${authority}/simulator${what}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}
const mood = (name: string) => control('', { mood: name });
const checkout = () => api.post('/api/dte/checkout', INVOICE, clinic);

/** Registers the clinic as an issuer of tax documents. */
async function issuer(): Promise<void> {
  await expectStatus(200, api.put('/api/dte/issuer', ISSUER, clinic));
  const { xml } = await control('/certificates', { nit: '06140101901015', password: CERTIFICATE_PASSWORD });
  await expectStatus(200, api.put('/api/dte/issuer/certificate', { certificate: xml, password: CERTIFICATE_PASSWORD }, clinic));
}
