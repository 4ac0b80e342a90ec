// A clinic in New York walks through two years with a clock that is moved for real: libfaketime in every process, the simulators and
// PostgreSQL. Each test begins where the one before has ended.
import { rmSync } from 'node:fs';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../lib/runtime/free-port.ts';
import { tempFolder } from '../scripts/dev/temp-folder.ts';
import { type Api, apiAt, type Body, expectStatus } from './api.ts';
import { addDoctor, book, type Clinic, everyDay, newClinic, PASSWORD } from './clinic.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';
import { asOwner } from './product-internals.ts';
import { library, movedClock } from './setup/moved-clock.ts';
import { patientPhone } from './setup/patient-phone.ts';

const START = '2027-10-25T13:00:00Z'; // Monday, 09:00 in New York

const folder = tempFolder('clock');
const clock = movedClock(folder, START);
let product: OwnProduct;
let api: Api;
let simulator: string;
let clinic: Clinic;
let doctor: Body;
let number: string;

const withLibrary = library ? describe : describe.skip;

beforeAll(async () => {
  if (!library) return;
  const port = String(await freePort());
  simulator = `http://127.0.0.1:${port}`;
  product = await startOwnProduct({ ...clock.env, CHAT_SIMULATOR_PORT: port }, publicApi().topology);
  api = apiAt(product.api);
  clinic = await newClinic(api, { registration: { timezone: 'America/New_York' } });
  doctor = await addDoctor(api, clinic, { workingHours: everyDay('08:00', '20:00') });
  number = await bind('+12025550100');
}, 240_000);
afterAll(async () => {
  await product?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function bind(phone: string): Promise<string> {
  await expectStatus(200, api.post('/api/chat/start', { phone, otpMethod: 'sms', wabaId: `waba-${phone}`, accessToken: 'EAAGclock-token' }, clinic));
  await expectStatus(200, api.post('/api/chat/verify-otp', { code: '123456' }, clinic));
  return `999${phone.slice(1)}`;
}

/** Sets the clock, signs in again, and waits until the scheduled jobs, named as service/job, have asked what is due. */
async function go(to: string, ...jobs: string[]): Promise<void> {
  await clock.set(to);
  clinic.token = (await expectStatus(200, api.post('/api/auth/login', { email: clinic.email, password: PASSWORD }))).body.access_token;
  for (const job of jobs) {
    const [service, name] = job.split('/');
    const ended = `select from ${service}_jobs.job where name = $1 and state = 'completed' and started_on between $2 and $2::timestamptz + interval '5 minutes'`;
    await waitFor(async () => (await asOwner(product.api, ended, [name, to])).length > 0, 45_000);
  }
}

const isIdle = `select count(*)::int as waiting from messaging.outbound where state in ('queued', 'sending', 'uncertain') and next_attempt_at <= $1`;
/** Reminders are asked for, and all messages that may be sent now have been. */
async function sent(): Promise<void> {
  await waitFor(async () => expect(await asOwner(product.api, isIdle, [clock.now()])).toEqual([{ waiting: 0 }]), 20_000);
}

/** A patient with an appointment, and what came to the phone, by the clock of New York. */
let patients = 0;
async function appointment(appointmentDate: string, startTime: string) {
  const phone = `+1202555${String(1000 + ++patients)}`;
  await book(api, clinic, { doctorId: doctor.id, appointmentDate, startTime, patientName: `Paciente ${patients}`, patientPhone: phone });
  return patientPhone(simulator, number, phone);
}
const fault = (what: Body) => fetch(`${simulator}/simulator/faults`, { method: 'POST', body: JSON.stringify(what) });
const forget = () => fetch(`${simulator}/simulator/seen`, { method: 'DELETE' });

withLibrary(library ? 'with a clock that is moved' : 'with a clock that is moved (skipped: libfaketime is not installed)', () => {
  test('a night of outage: what is late, over or not for the night does not arrive, the rest arrives once', async () => {
    const early = await appointment('2027-10-28', '09:00');
    const late = await appointment('2027-10-28', '17:00');
    const next = await appointment('2027-10-29', '10:00');
    await go('2027-10-27T13:01:00Z', 'messaging/send-reminders');
    await waitFor(async () => (await early.messages()).length === 1);

    await fault({ path: 'messages', times: 1_000_000, status: 500 });
    await go('2027-10-27T21:05:00Z', 'messaging/send-reminders'); // the day before 17:00
    await go('2027-10-28T03:30:00Z');
    await go('2027-10-28T11:05:00Z', 'messaging/send-reminders'); // two hours before 09:00
    await go('2027-10-28T14:30:00Z');
    await forget(); // the provider works again, and the threads are empty
    await go('2027-10-28T14:40:00Z', 'messaging/send-reminders');
    await waitFor(async () => (await next.messages()).length === 1, 30_000);
    await sent();
    expect([(await early.messages()).length, (await late.messages()).length]).toEqual([0, 0]);

    await go('2027-10-28T19:05:00Z', 'messaging/send-reminders'); // two hours before 17:00
    await waitFor(async () => (await late.messages()).length === 1, 30_000);
    await sent();
    expect([(await early.messages()).length, (await next.messages()).length]).toEqual([0, 1]);
  });
});
