// The load of one cycle on its own clinic, and a ledger of the requests and their outcomes.
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../random.ts';
import { type Answer, type Ask, dayAfter, EVERY_DAY, JSON_BODY, SLOT_MINUTES, send, timeOfSlot } from '../clinic.ts';
import type { Installation } from './installation.ts';

/** Acknowledged: a response of 2xx. Refused: 4xx. Unknown: no response, or 5xx. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown';
export type Booking = {
  phone: string;
  slot: string;
  outcome: Outcome;
  id?: string;
  /** The last acknowledged status, and later ones whose outcome is unknown. */
  statuses: string[];
};
export type Payment = { cents: number; outcome: Outcome };
export type Rows = { phones: string[]; outcome: Outcome };

export type Ledger = {
  bookings: Booking[];
  payments: Payment[];
  waiting: Rows[];
  imports: Rows[];
  /** The patient's phone, and the words that it sent, in order. */
  chats: { phone: string; words: string[] }[];
  order: { id: string; outcome: Outcome };
  /** The number of responses by operation and status, for example `booking 201`. */
  answers: Map<string, number>;
};

export type CycleClinic = { id: string; token: string; doctors: string[]; paymentPlan: string; chatNumber: string };

export const WORDS = ['alfa', 'beta', 'gama'];
export const answerTo = (word: string) => `Respuesta ${word}`;

const RETRIED_MS = 60_000;
const RETRY_MS = 300;
const OPERATIONS = 40;
/** How often a webhook is delivered again. */
const REPEATS = 9;

type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

const callerOf =
  (url: string, own: Record<string, string>): Call =>
  (method, path, body, more = {}) => {
    const headers = { ...(body !== undefined && JSON_BODY), ...own, ...more };
    return send(url, { kind: '', method, path, headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
  };

export const asClinic = (url: string, token: string) => callerOf(url, { authorization: `Bearer ${token}` });

class Unavailable extends Error {}

async function created(answer: Promise<Answer>): Promise<{ id: string } & Record<string, unknown>> {
  const { status, body } = await answer;
  if (status >= 200 && status < 300) return JSON.parse(body);
  throw new (status === 503 ? Unavailable : Error)(`the clinic of the cycle could not be set up: ${status} ${body.slice(0, 300)}`);
}

let clinics = 0;

async function retried<T>(work: () => Promise<T>, attempts: number, pauseMs: number, passes: (error: unknown) => boolean = () => true): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !passes(error)) throw error;
      await sleep(pauseMs);
    }
  }
}

/** Creates a trial clinic with two doctors, a payment plan, and a chat number whose bot knows three words. Retries while a service is unavailable. */
export const setUpClinic = (installation: Installation): Promise<CycleClinic> =>
  retried(
    () => setUp(installation),
    30,
    1_000,
    (error) => error instanceof Unavailable,
  );

async function setUp({ url, operatorKey }: Installation): Promise<CycleClinic> {
  const anonymous = callerOf(url, {});
  const { code } = await created(anonymous('POST', '/api/superadmin/invite-codes', { plan: 'trial' }, { 'x-admin-key': operatorKey }));
  const email = `ana-${randomUUID()}@clinic.example`;
  const registration = { inviteCode: code, clinicName: 'Clínica de Prueba', adminName: 'Ana Morales', email, password: 'Tres-Tristes-Tigres-9' };
  const registered = await created(anonymous('POST', '/api/auth/register-clinic', registration));
  const token = registered.access_token as string;
  const own = asClinic(url, token);
  const doctor = { consultationDurationMinutes: SLOT_MINUTES, workingHours: EVERY_DAY };
  const chatPhone = `+5032${String(1_000_000 + clinics++)}`;
  const [doctors, patient] = await Promise.all([
    Promise.all(['Elena Rivas', 'Marta Paz'].map(async (fullName) => (await created(own('POST', '/api/doctors', { ...doctor, fullName }))).id)),
    created(own('POST', '/api/patients', { fullName: 'Luis Pérez', phone: '+50370000000' })),
    created(own('POST', '/api/chat/start', { phone: chatPhone, otpMethod: 'sms', wabaId: `waba-${chatPhone}`, accessToken: 'simulated' })),
    ...WORDS.map((word) => created(own('POST', '/api/faq', { category: 'general', question: word, answer: answerTo(word), keywords: [word] }))),
  ]);
  const [plan] = await Promise.all([
    created(own('POST', '/api/dental/payment-plans', { patient_id: patient.id, description: 'Ortodoncia', total_amount: 100_000 })),
    created(own('POST', '/api/chat/verify-otp', { code: '123456' })),
  ]);
  return { id: (registered.clinic as { id: string }).id, token, doctors, paymentPlan: plan.id, chatNumber: `999${chatPhone.slice(1)}` };
}

export const emptyLedger = (random: Random): Ledger => ({
  bookings: [],
  payments: [],
  waiting: [],
  imports: [],
  chats: [],
  order: { id: String(random.below(2 ** 31)), outcome: 'unknown' },
  answers: new Map(),
});

/** Draws the operations of a cycle and starts them within `ms`. Operations that are repeated until they have an outcome may take longer. */
export async function work(installation: Installation, clinic: CycleClinic, random: Random, ms: number): Promise<Ledger> {
  const ledger = emptyLedger(random);
  const own = asClinic(installation.url, clinic.token);
  const giveUp = performance.now() + RETRIED_MS;

  /** Sends a request; with `repeat`, until it is acknowledged or refused, as a careful client does. */
  async function attempt(kind: string, repeat: boolean, request: () => Promise<Answer>): Promise<{ outcome: Outcome; body: string }> {
    for (;;) {
      const { status, body } = await request();
      const seen = `${kind} ${status || 'no answer'}`;
      ledger.answers.set(seen, (ledger.answers.get(seen) ?? 0) + 1);
      if (status >= 200 && status < 300) return { outcome: 'acknowledged', body };
      if (status >= 400 && status < 500 && status !== 429) return { outcome: 'refused', body };
      if (!repeat || performance.now() > giveUp) return { outcome: 'unknown', body };
      await sleep(RETRY_MS);
    }
  }
  const key = () => ({ 'idempotency-key': randomUUID() });
  let slots = 0;
  let phones = 0;
  const nextPhone = () => `+5037${String(1_000_000 + ++phones)}`;

  async function book(slot: number, repeat: boolean): Promise<Booking> {
    const startTime = timeOfSlot(Math.floor(slot / 2));
    const body = { doctorId: clinic.doctors[slot % 2], appointmentDate: dayAfter(5), startTime, patientName: 'Rosa Díaz', patientPhone: nextPhone() };
    const headers = key();
    const booking: Booking = { phone: body.patientPhone, slot: `${body.doctorId} ${startTime}`, outcome: 'unknown', statuses: [] };
    ledger.bookings.push(booking);
    const { outcome, body: answer } = await attempt('booking', repeat, () => own('POST', '/api/appointments', body, headers));
    booking.outcome = outcome;
    if (outcome === 'acknowledged') {
      booking.id = JSON.parse(answer).id;
      booking.statuses = ['confirmed'];
    }
    return booking;
  }
  async function changeStatus(booking: Booking, status: string, repeat: boolean): Promise<void> {
    if (!booking.id) return;
    const { outcome } = await attempt('status', repeat, () => own('PATCH', `/api/appointments/${booking.id}/status`, { status }));
    if (outcome === 'acknowledged') booking.statuses = [status];
    else if (outcome === 'unknown') booking.statuses.push(status);
  }

  const operations: Record<string, (repeat: boolean, status: string) => Promise<unknown>> = {
    booking: (repeat) => book(slots++, repeat),
    async contested() {
      const slot = slots++;
      await Promise.all([book(slot, false), book(slot, false), book(slot, true)]);
    },
    status: async (repeat, status) => {
      await changeStatus(await book(slots++, true), status, repeat);
    },
    async payment(repeat) {
      const payment: Payment = { cents: 1 + ledger.payments.length, outcome: 'unknown' };
      ledger.payments.push(payment);
      const headers = key();
      const path = `/api/dental/payment-plans/${clinic.paymentPlan}/payments`;
      payment.outcome = (await attempt('payment', repeat, () => own('POST', path, { amount: payment.cents / 100 }, headers))).outcome;
    },
    async waitlist(repeat) {
      const rows: Rows = { phones: [nextPhone()], outcome: 'unknown' };
      ledger.waiting.push(rows);
      const headers = key();
      const body = { patientName: 'Eva Luna', patientPhone: rows.phones[0], dateFrom: dayAfter(40), dateTo: dayAfter(40) };
      rows.outcome = (await attempt('waitlist', repeat, () => own('POST', '/api/waitlist', body, headers))).outcome;
    },
    async import(repeat) {
      const rows: Rows = { phones: Array.from({ length: 5 }, nextPhone), outcome: 'unknown' };
      ledger.imports.push(rows);
      const file = ['nombre,telefono', ...rows.phones.map((phone) => `Paz Mena,${phone}`)].join('\n');
      rows.outcome = (await attempt('import', repeat, () => own('POST', '/api/patients/import?dryRun=false', file, { 'content-type': 'text/csv' }))).outcome;
    },
    async chat() {
      const chat = { phone: nextPhone(), words: [] as string[] };
      ledger.chats.push(chat);
      const repeated: Promise<unknown>[] = [];
      for (const word of WORDS) {
        chat.words.push(word);
        const message = { number: clinic.chatNumber, phone: chat.phone.slice(1), name: 'Rosa', text: word, id: `wamid.${randomUUID()}` };
        // The simulated provider delivers the message until it is acknowledged.
        const deliver = () => say(installation, message);
        await deliver();
        // The messages of the first phone are delivered again while later ones arrive.
        if (chat === ledger.chats[0]) repeated.push(...Array.from({ length: REPEATS }, deliver));
      }
      await Promise.all(repeated);
    },
    async read() {
      await attempt('read', false, () => own('GET', `/api/appointments?date=${dayAfter(5)}&limit=20`));
    },
  };
  const kinds = ['booking', 'booking', 'booking', 'contested', 'status', 'status', 'payment', 'payment', 'waitlist', 'import', 'chat', 'read', 'read'];
  const plan = () => ({
    at: random.below(ms),
    kind: random.pick(kinds),
    repeat: random.chance(0.5),
    status: random.pick(['completed', 'cancelled', 'no_show']),
  });
  const running = Array.from({ length: OPERATIONS }, plan).map(async ({ at, kind, repeat, status }) => {
    await sleep(at);
    await operations[kind]?.(repeat, status);
  });
  running.push(sleep(random.below(ms)).then(() => pay(installation, clinic, ledger, attempt)));
  await Promise.all(running);
  return ledger;
}

/** Makes the simulated provider deliver a message. Retried, because the simulator may close an idle connection at the same moment. */
const say = ({ simulatorUrl }: Installation, message: object) =>
  retried(() => fetch(`${simulatorUrl}/simulator/say`, { method: 'POST', body: JSON.stringify(message) }), 20, 250);

type Attempt = (kind: string, repeat: boolean, request: () => Promise<Answer>) => Promise<{ outcome: Outcome }>;

/** Delivers the payment provider's order for a plan several times concurrently, each until it is acknowledged. */
async function pay(installation: Installation, clinic: CycleClinic, ledger: Ledger, attempt: Attempt): Promise<void> {
  const order = orderOf(installation, clinic, ledger);
  const deliver = () => attempt('payment webhook', true, () => send(installation.url, order));
  const outcomes = await Promise.all([deliver(), ...Array.from({ length: REPEATS }, deliver)]);
  ledger.order.outcome = outcomes.some(({ outcome }) => outcome === 'acknowledged') ? 'acknowledged' : 'unknown';
}

export function orderOf({ paymentsSecret }: Installation, { id }: CycleClinic, { order }: Ledger): Ask {
  const attributes = { order_number: 1, status: 'paid', total: 2900, first_order_item: { variant_id: 222 }, created_at: new Date().toISOString() };
  const body = JSON.stringify({
    meta: { event_name: 'order_created', webhook_id: randomUUID(), custom_data: { clinic_id: id } },
    data: { type: 'orders', id: order.id, attributes },
  });
  const headers = { ...JSON_BODY, 'x-signature': createHmac('sha256', paymentsSecret).update(body).digest('hex') };
  return { kind: 'payment webhook', method: 'POST', path: '/webhooks/payments', headers, body };
}
