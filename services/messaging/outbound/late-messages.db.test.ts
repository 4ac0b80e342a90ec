// The checks before every attempt to send a message: whether it is still needed, whether quiet hours hold it, and whether a newer one replaces it.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { callerClinic } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { delivery, type Messaging, startMessaging } from '../testing/messaging.ts';
import { type ShiftedClock, shiftedClock } from '../testing/shifted-clock.ts';
import type { Reference } from './reference-rules.ts';
import { sendLater, sendMessage } from './send.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const UTC_MINUS_6 = 6 * HOUR;

let m: Messaging;
let clock: ShiftedClock;
let phones = 70_200_000;
/** The state of the appointment, the offer and the payment plan in the other services. */
const known = {
  status: 'confirmed',
  startsAt: new Date(),
  planStatus: 'active',
  isActive: true,
  offersStarted: 0,
  isOfferOpen: true,
  /** The error of dental. */
  outage: undefined as 'UNAVAILABLE' | 'INTERNAL' | undefined,
};
let phone = '';
beforeAll(async () => {
  clock = shiftedClock();
  m = await startMessaging({ clock });
  const clinic = {
    name: 'Sonrisa',
    plan: 'clinica',
    clinicType: 'dental',
    timezone: 'America/El_Salvador',
    country: 'SV',
    features: ['chat_bot', 'reminders'],
  };
  Object.assign(m.answers, {
    resolveClinic: ({ clinicId }: { clinicId: string }) => ({ ...clinic, clinicId, isActive: known.isActive }),
    getClinicProfile: () => ({ currency: 'USD' }),
    findAppointmentWithContact: ({ id }: { id: string }) => ({
      id,
      status: known.status,
      startsAt: timestampFromDate(known.startsAt),
      appointmentDate: '2026-06-03',
      startTime: '10:00:00',
      doctorName: 'Dra. Ana Rivas',
      patientName: 'Rosa Díaz',
      reachablePhone: phone,
    }),
    getDoctor: ({ id }: { id: string }) => ({ id, fullName: 'Dra. Ana Rivas' }),
    findPatient: ({ id }: { id: string }) => ({ id, fullName: 'Rosa Díaz', reachablePhone: phone }),
    getPaymentPlan: ({ id }: { id: string }) =>
      known.outage
        ? fail(known.outage)
        : {
            id,
            patientId: randomUUID(),
            status: known.planStatus,
            reminderEnabled: true,
            totalAmount: 100n,
            amountPaid: 0n,
          },
    renderRecallMessage: () => ({ send: true, phone, text: 'Le toca su control' }),
    startOffer: ({ id, offerId }: { id: string; offerId: string }) => {
      if (!known.isOfferOpen) fail('OFFER_NOT_OPEN');
      known.offersStarted++;
      const expiresAt = timestampFromDate(new Date(clock.now().getTime() + 15 * MINUTE));
      return { id, patientId: randomUUID(), offer: { id: offerId, doctorId: randomUUID(), appointmentDate: '2026-06-03', startTime: '09:00:00', expiresAt } };
    },
  });
});
beforeEach(() => {
  Object.assign(known, { status: 'confirmed', planStatus: 'active', isActive: true, offersStarted: 0, isOfferOpen: true, outage: undefined });
  phone = `+503${++phones}`;
  m.provider.forget();
  goTo('15:00');
});
afterAll(() => m.stop());

/** Moves the clock forward to this local time of the clinics. */
function goTo(time: string): void {
  const now = clock.now().getTime() - UTC_MINUS_6;
  const target = new Date(now).setUTCHours(Number(time.slice(0, 2)), Number(time.slice(3)), 0, 0);
  clock.advance((target - now + 24 * HOUR) % (24 * HOUR));
}
const after = (ms: number) => new Date(clock.now().getTime() + ms);

type Clinic = Awaited<ReturnType<Messaging['clinic']>>;
const queue = (clinic: Clinic, reference: Reference, neededBy: Date | null = null) =>
  inTenant(m.service.db, clinic.id, (tx) => sendLater(tx, clinic.id, reference, { neededBy }, clock.now()));
const appointmentId = randomUUID();
async function queueReminder(clinic: Clinic, reminder: 'day' | 'hours'): Promise<void> {
  await m.look(`insert into reminders (clinic_id, appointment_id, kind, revision, starts_at, state, updated_at) values ($1, $2, $3, 1, $4, 'queued', now())`, [
    clinic.id,
    appointmentId,
    reminder,
    known.startsAt,
  ]);
  await queue(clinic, { kind: 'appointment_reminder', appointmentId, reminder, revision: '1' });
}
const rows = (clinic: Clinic) => m.look('select * from outbound where clinic_id = $1 order by seq', [clinic.id]);
/** Waits until each message of the clinic is in a state, with its code. */
const end = (clinic: Clinic, ...states: string[]) =>
  waitFor(async () => expect((await rows(clinic)).map(({ state, error_code }) => [state, error_code].filter(Boolean).join(' '))).toEqual(states));
/** The provider refuses the next `attempts` calls, as in an outage. */
const outage = (attempts: number) => m.provider.next('/messages', ...Array.from({ length: attempts }, () => m.provider.refusal(503, 131016)));

describe('after an outage of the provider', () => {
  test('a reminder of a past appointment is dropped, which the conversation shows', async () => {
    const clinic = await m.clinic();
    known.startsAt = after(2 * HOUR);
    outage(1);
    await queueReminder(clinic, 'hours');
    await end(clinic, 'queued 131016');
    clock.advance(3 * HOUR);
    await end(clinic, 'dropped too_late');
    expect(m.provider.sent()).toHaveLength(1);
    const { messages } = await m.conversations.listMessages({ phone }, clinic.user);
    expect(messages[0]).toMatchObject({ status: 'dropped', error: 'It is too late for this message' });
  });

  test('of two late reminders only the later one is sent', async () => {
    const clinic = await m.clinic();
    known.startsAt = after(20 * HOUR);
    await m.look("insert into reminder_settings values ($1, true, '00:00', '00:00', now())", [clinic.id]);
    outage(1);
    await queueReminder(clinic, 'day');
    await end(clinic, 'queued 131016');
    await queueReminder(clinic, 'hours'); // in the evening before, as for an early appointment
    clock.advance(HOUR);
    await end(clinic, 'dropped superseded', 'sent');
  });

  test.each([
    ['cancelled', () => Object.assign(known, { status: 'cancelled' }), 'visit_over'], // plain-words: visit is in a stored code
    ['moved', () => Object.assign(known, { startsAt: after(9 * HOUR) }), 'visit_moved'], // plain-words: visit is in a stored code
  ])('a reminder of an appointment that was %s is dropped', async (_name, change, reason) => {
    const clinic = await m.clinic();
    known.startsAt = after(3 * HOUR);
    outage(1);
    await queueReminder(clinic, 'hours');
    await end(clinic, 'queued 131016');
    change();
    clock.advance(MINUTE);
    await end(clinic, `dropped ${reason}`);
  });

  test('messages about a paid plan or a closed offer are dropped', async () => {
    const [paying, offered] = [await m.clinic(), await m.clinic()];
    outage(2);
    await queue(paying, { kind: 'payment_reminder', paymentPlanId: randomUUID(), month: '2026-06' });
    await queue(offered, { kind: 'waitlist', entryId: randomUUID(), offerId: randomUUID() });
    for (const clinic of [paying, offered]) await end(clinic, 'queued 131016');
    Object.assign(known, { planStatus: 'paid', isOfferOpen: false });
    clock.advance(MINUTE);
    await end(paying, 'dropped not_owed');
    await end(offered, 'dropped offer_over');
  });

  test('of the service that composes it, a message is sent however long the outage lasted, which does not count for errors after it', async () => {
    const clinic = await m.clinic();
    known.outage = 'UNAVAILABLE';
    await queue(clinic, { kind: 'payment_reminder', paymentPlanId: randomUUID(), month: '2026-06' });
    for (let attempt = 1; attempt <= 7; attempt++) {
      await waitFor(async () => expect((await rows(clinic))[0]).toMatchObject({ attempts: attempt, state: 'queued', error_code: 'not_prepared' }));
      if (attempt > 5) known.outage = attempt === 6 ? 'INTERNAL' : undefined;
      clock.advance(15 * MINUTE);
    }
    await end(clinic, 'sent');
    expect((await rows(clinic))[0].failures).toBe(1);
  });

  test('nothing is sent for a clinic that was suspended', async () => {
    const clinic = await m.clinic();
    outage(1);
    await queue(clinic, { kind: 'recall', contactId: randomUUID() });
    await end(clinic, 'queued 131016');
    known.isActive = false;
    clock.advance(MINUTE);
    await end(clinic, 'dropped clinic_inactive');
  });

  test('the 15 minutes of an offer begin again at each attempt', async () => {
    const clinic = await m.clinic();
    outage(1);
    await queue(clinic, { kind: 'waitlist', entryId: randomUUID(), offerId: randomUUID() });
    await end(clinic, 'queued 131016');
    clock.advance(MINUTE);
    await end(clinic, 'sent');
    expect(known.offersStarted).toBe(2);
  });
});

describe('at night', () => {
  const messages: Reference[] = [
    { kind: 'recall', contactId: randomUUID() },
    { kind: 'payment_reminder', paymentPlanId: randomUUID(), month: '2026-06' },
    { kind: 'waitlist', entryId: randomUUID(), offerId: randomUUID() },
    { kind: 'appointment_notice', appointmentId, revision: '1', change: 'moved' },
  ];

  test('messages that are not replies wait for the morning', async () => {
    const clinic = await m.clinic();
    goTo('23:10');
    known.startsAt = after(20 * HOUR);
    for (const reference of messages) await queue(clinic, reference, after(20 * HOUR));
    await end(clinic, ...messages.map(() => 'queued quiet_hours'));
    goTo('06:59');
    expect(m.provider.sent()).toEqual([]);
    goTo('07:00');
    await end(clinic, ...messages.map(() => 'sent'));
    expect((await rows(clinic)).map(({ attempts }) => attempts)).toEqual(messages.map(() => 1));
  });

  test('an offer and a notice that are needed earlier are sent at once', async () => {
    const clinic = await m.clinic();
    goTo('23:10');
    known.startsAt = after(8 * HOUR);
    for (const reference of messages.slice(2)) await queue(clinic, reference, known.startsAt);
    await end(clinic, 'sent', 'sent');
  });

  test('a clinic without quiet hours sends its messages', async () => {
    const clinic = await m.clinic();
    await m.look("insert into reminder_settings values ($1, true, '21:00', '21:00', now())", [clinic.id]);
    goTo('23:10');
    await queue(clinic, messages[0] as Reference);
    await end(clinic, 'sent');
  });

  test('a reply is sent, unless it is more than an hour late', async () => {
    const clinic = await m.clinic();
    goTo('23:10');
    await m.deliver(delivery(clinic.numberId, phone.slice(1), { at: Math.floor(clock.now().getTime() / 1000) }));
    await m.settled();
    await m.conversations.reply({ phone, message: 'Hola' }, clinic.user);
    await end(clinic, 'sent');
    outage(1);
    await m.conversations.reply({ phone, message: '¿Sigue ahí?' }, clinic.user);
    await end(clinic, 'sent', 'queued 131016');
    clock.advance(61 * MINUTE);
    await end(clinic, 'sent', 'queued quiet_hours');
    goTo('07:00');
    await end(clinic, 'sent', 'sent');
  });
});

test('a conversation that a message opens shows its patient', async () => {
  const clinic = await m.clinic();
  m.answers.findPatientByPhone = () => ({ patient: { id: randomUUID(), fullName: 'Rosa Díaz' } });
  await queue(clinic, { kind: 'waitlist', entryId: randomUUID(), offerId: randomUUID() });
  await end(clinic, 'sent');
  m.answers.findPatientByPhone = () => ({});
  expect((await m.conversations.listConversations({}, clinic.user)).conversations).toMatchObject([{ phone, patientName: 'Rosa Díaz' }]);
});

test.each(['a user', 'an integration key'])('a reply of the bot that could not be sent is dropped when %s takes over', async (who) => {
  const clinic = await m.clinic();
  const key = { kind: 'integration_key', id: randomUUID(), requestId: randomUUID(), ip: '127.0.0.1', role: '', clinic: callerClinic(clinic.id) } as const;
  const write = () => m.deliver(delivery(clinic.numberId, phone.slice(1), { at: Math.floor(clock.now().getTime() / 1000) }));
  await write();
  await m.settled();
  outage(1);
  await inTenant(m.service.db, clinic.id, (tx) => sendMessage(tx, { phone, kind: 'bot', content: { text: 'Hola' }, sender: 'bot' }, clock.now()));
  await end(clinic, 'queued 131016');
  clock.advance(1_000);
  await m.conversations.takeOver({ phone }, who === 'a user' ? clinic.user : callAs(key));
  clock.advance(MINUTE);
  await end(clinic, 'dropped taken_over');
});
