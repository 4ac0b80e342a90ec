// Reminders and notices of visits: planned, sent once, taken back, and answered by buttons that work.
import { randomUUID } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createSignal } from '@clinic/lib/background/signal.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import type { Consumer } from '@clinic/lib/events/events.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { PaymentReminderDueSchema } from '@clinic/proto/events/v1/dental_pb.js';
import {
  AppointmentBookedSchema,
  AppointmentRescheduledSchema,
  AppointmentStatusChangedSchema,
  WaitlistOfferedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type App, createClients } from '../app.ts';
import { createClinics } from '../clinics/clinics.ts';
import type { OutboundRow } from '../outbound/outbound.sql.ts';
import { prepareMessage } from '../outbound/prepare.ts';
import { type BotFixture, MONDAY, message, runScript, startBot } from '../testing/conversation-script.ts';
import { type Booked, startOf } from '../testing/fake-scheduling.ts';
import { prepares } from './module.ts';
import { onAppointmentBooked } from './on-appointment-booked.ts';
import { onAppointmentRescheduled } from './on-appointment-rescheduled.ts';
import { onAppointmentStatusChanged } from './on-appointment-status-changed.ts';
import { onPaymentReminderDue } from './on-payment-reminder-due.ts';
import { onWaitlistOffered } from './on-waitlist-offered.ts';
import { sendDueReminders } from './send-due.ts';

let talks: BotFixture;
let app: App;
beforeAll(async () => {
  talks = await startBot();
  const { clock, neighbours } = talks;
  const clients = createClients((name) => neighbours[name as keyof typeof neighbours]);
  app = {
    db: talks.service.db,
    clock,
    log: createLog('test', 'silent'),
    ...clients,
    clinics: createClinics(clients.identity.access, clock),
    toSend: createSignal(),
  } as unknown as App;
});
afterAll(() => talks.stop());
beforeEach(() => {
  talks.clock.set(MONDAY);
  talks.scheduling.state.away = false;
});

const at = (local: string) => new Date(`${local}:00-06:00`);
const deliver = <M extends DescMessage>(consumer: Consumer, schema: M, clinicId: string, event: MessageInitShape<M>) =>
  asSystem(talks.service.db, (tx) => consumer.handle(tx, create(schema, event) as never, { id: randomUUID(), clinicId, subject: '' }));
const stateOf = ({ id, revision, status, date, time }: Booked) => ({ appointmentId: id, revision, status, startsAt: timestampFromDate(startOf(date, time)) });
const told = {
  booked: (visit: Booked) => deliver(onAppointmentBooked(app), AppointmentBookedSchema, visit.clinicId, { appointment: stateOf(visit) }),
  moved: (visit: Booked, before: string, byChat = false) =>
    deliver(onAppointmentRescheduled(app), AppointmentRescheduledSchema, visit.clinicId, {
      appointment: stateOf(visit),
      previousStartsAt: timestampFromDate(at(before)),
      byChat,
    }),
  status: (visit: Booked, previousStatus: string, byChat = false) =>
    deliver(onAppointmentStatusChanged(app), AppointmentStatusChangedSchema, visit.clinicId, { appointment: stateOf(visit), previousStatus, byChat }),
};

/** A visit of a patient with a phone of her own, in a clinic of its own; known to scheduling only. */
async function visit(date = '2026-06-03', time = '10:00') {
  const clinic = await talks.clinic();
  const phone = talks.phone();
  const doctor = talks.scheduling.doctors.find(({ clinicId }) => clinicId === clinic.id);
  const { id: patientId } = talks.scheduling.patient(clinic.id, phone, 'Rosa Díaz');
  const booked = talks.scheduling.book({ clinicId: clinic.id, doctorId: doctor?.id ?? '', patientId, date, time, source: 'manual' });
  return { clinic, phone, booked };
}
const plansOf = async ({ id }: Booked): Promise<unknown[]> => {
  const rows = await talks.look('select kind, due_at, state from reminders where appointment_id = $1 order by kind', [id]);
  return rows.map(({ kind, due_at, state }) => [kind, state, due_at && new Date(due_at.getTime() - 6 * 3_600_000).toISOString().slice(0, 16)]);
};
const outOf = (clinicId: string, kind = 'appointment_reminder'): Promise<OutboundRow[]> =>
  talks.look('select * from outbound where clinic_id = $1 and kind = $2 order by seq', [clinicId, kind]);
const prepared = (queued: OutboundRow | undefined) => prepareMessage(app, prepares, queued as OutboundRow);
const PLANNED = [
  ['day', 'planned', '2026-06-02T10:00'],
  ['hours', 'planned', '2026-06-03T08:00'],
];
const NONE = [
  ['day', 'none', null],
  ['hours', 'none', null],
];

describe('planning', () => {
  test('two for a visit, a day and two hours before', async () => {
    const { booked } = await visit();
    await told.booked(booked);
    expect(await plansOf(booked)).toEqual(PLANNED);
  });

  test('none inside the hour, and only the later one where the earlier comes too soon', async () => {
    const { booked } = await visit('2026-06-01', '11:00');
    await told.booked(booked);
    expect(await plansOf(booked)).toEqual([
      ['day', 'none', null],
      ['hours', 'planned', '2026-06-01T09:00'],
    ]);
    const soon = await visit('2026-06-01', '10:30');
    await told.booked(soon.booked);
    expect(await plansOf(soon.booked)).toEqual(NONE);
  });

  test('news that comes late counts from the booking, not from the news', async () => {
    const { booked } = await visit();
    talks.clock.set(at('2026-06-02T09:30'));
    await told.booked(booked);
    expect(await plansOf(booked)).toEqual(PLANNED);
  });

  test('moved with the visit, cancelled with it, back with it', async () => {
    const { booked } = await visit();
    await told.booked(booked);
    talks.scheduling.change(booked, { date: '2026-06-04' });
    await told.moved(booked, '2026-06-03T10:00');
    expect(await plansOf(booked)).toEqual([
      ['day', 'planned', '2026-06-03T10:00'],
      ['hours', 'planned', '2026-06-04T08:00'],
    ]);
    talks.scheduling.change(booked, { status: 'cancelled' });
    await told.status(booked, 'confirmed');
    expect(await plansOf(booked)).toEqual(NONE);
    talks.scheduling.change(booked, { status: 'confirmed', date: '2026-06-03' });
    await told.status(booked, 'cancelled');
    expect(await plansOf(booked)).toEqual(PLANNED);
  });

  test('in any order, however often, at once', async () => {
    const { booked } = await visit();
    talks.scheduling.change(booked, { status: 'cancelled' });
    const all = () => [told.status(booked, 'confirmed'), told.booked({ ...booked, revision: 1, status: 'confirmed' }), told.status(booked, 'confirmed')];
    await Promise.all([...all(), ...all()]);
    expect(await plansOf(booked)).toEqual(NONE);
    talks.scheduling.change(booked, { status: 'confirmed' });
    await Promise.all([...all(), told.booked(booked)]);
    expect(await plansOf(booked)).toEqual(PLANNED);
  });

  test('a change of status that leaves the time leaves the reminder, also when it has gone', async () => {
    const { clinic, booked } = await visit();
    await told.booked(booked);
    talks.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(app);
    talks.scheduling.change(booked, { status: 'pending' });
    await told.status(booked, 'confirmed');
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toHaveLength(1);
    expect(await plansOf(booked)).toEqual([['day', 'queued', null], PLANNED[1]]);
  });
});

describe('sending', () => {
  test('each once, with several workers, and after a crash between sending and noting', async () => {
    const { clinic, booked } = await visit();
    await told.booked(booked);
    talks.clock.set(at('2026-06-02T10:00'));
    await Promise.all(Array.from({ length: 6 }, () => sendDueReminders(app)));
    expect(await outOf(clinic.id)).toHaveLength(1);
    await talks.look(`update reminders set state = 'planned', due_at = $2 where appointment_id = $1 and kind = 'day'`, [booked.id, at('2026-06-02T10:00')]);
    await sendDueReminders(app);
    expect((await outOf(clinic.id)).map(({ reference, resend }) => [reference, resend])).toEqual([[`${booked.id}/day/1`, false]]);
    talks.clock.set(at('2026-06-03T08:00'));
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toHaveLength(2);
  });

  test('never for a visit that was cancelled just before, though nobody has heard of it yet', async () => {
    const { clinic, booked } = await visit();
    await told.booked(booked);
    talks.scheduling.change(booked, { status: 'cancelled' });
    talks.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toEqual([]);
  });

  test('one that waits with the sender is taken back', async () => {
    const { clinic, booked } = await visit();
    await told.booked(booked);
    talks.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(app);
    const [queued] = await outOf(clinic.id);
    talks.scheduling.change(booked, { status: 'cancelled' });
    expect(await prepared(queued)).toEqual({ drop: 'visit_over' });
    await told.status(booked, 'confirmed');
    expect((await outOf(clinic.id)).map(({ state }) => state)).toEqual(['dropped']);
    talks.scheduling.change(booked, { status: 'confirmed', date: '2026-06-05' });
    expect(await prepared(queued)).toEqual({ drop: 'visit_moved' });
  });

  test('a clock that is hours late sends nothing that is of no use any more', async () => {
    const { clinic, booked } = await visit();
    await told.booked(booked);
    talks.clock.set(at('2026-06-03T10:30'));
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toEqual([]);
    expect(await plansOf(booked)).toEqual(NONE);
  });

  test('a clinic that has switched reminders off sends none, from that moment on', async () => {
    const { clinic, booked } = await visit();
    await told.booked(booked);
    talks.features.set(clinic.id, ['chat_bot']);
    talks.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toEqual([]);
    talks.features.delete(clinic.id);
    talks.clock.set(at('2026-06-03T08:00'));
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toHaveLength(1);
  });

  test('scheduling is away: it waits', async () => {
    const { clinic, booked } = await visit();
    await told.booked(booked);
    talks.clock.set(at('2026-06-02T10:00'));
    talks.scheduling.state.away = true;
    await sendDueReminders(app);
    talks.scheduling.state.away = false;
    expect(await outOf(clinic.id)).toEqual([]);
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toHaveLength(1);
  });

  test('nothing is stored for a clinic without a chat number', async () => {
    const { clinic, booked } = await visit();
    await talks.look(`update channels set status = 'disconnected' where clinic_id = $1`, [clinic.id]);
    await told.booked(booked);
    talks.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(app);
    talks.scheduling.change(booked, { status: 'cancelled' });
    await told.status(booked, 'confirmed');
    expect(await talks.look('select from outbound where clinic_id = $1', [clinic.id])).toEqual([]);
  });
});

describe('what it says', () => {
  async function reminded() {
    const made = await visit();
    await told.booked(made.booked);
    talks.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(app);
    const [queued] = await outOf(made.clinic.id);
    return { ...made, queued: queued as OutboundRow };
  }

  test('the visit, with buttons; a template outside the window, with the same payloads', async () => {
    const { phone, booked, queued } = await reminded();
    const written = await prepared(queued);
    const text = 'Hola, Rosa. Le recordamos su cita en Sonrisa:\n📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas\n\n¿Nos confirma su asistencia?';
    expect(written).toEqual({
      phone,
      content: {
        type: 'buttons',
        text,
        buttons: [
          { id: `visit|confirm|${booked.id}`, title: 'Confirmar' },
          { id: `visit|drop|${booked.id}`, title: 'Cancelar cita' },
        ],
      },
      outsideWindow: {
        type: 'template',
        name: 'appointment_reminder',
        language: 'es',
        variables: ['Rosa', 'Sonrisa', '📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas'],
        payloads: [`visit|confirm|${booked.id}`, `visit|drop|${booked.id}`],
        text,
      },
    });
  });

  test('in English to who has talked English, in the words of the clinic', async () => {
    const { clinic, phone, queued } = await reminded();
    await talks.deliver(message(clinic.numberId, phone, { text: 'Hello' }));
    await talks.settled();
    await talks.look(`insert into bot_texts values ($1, 'reminder_day', 'en', 'Dear {nombre}, {cita}', now())`, [clinic.id]);
    expect(await prepared(queued)).toMatchObject({
      content: { text: 'Dear Rosa, 📅 Wednesday, 3 June, 10:00 AM, Dra. Ana Rivas' },
      outsideWindow: { language: 'en' },
    });
  });

  test.each([
    ['confirm', 'Su cita está confirmada', 'confirmed'],
    ['drop', 'Su cita fue cancelada', 'cancelled'],
  ])('its button to %s works, pressed on a template', async (action, answer, status) => {
    const { clinic, phone, booked } = await reminded();
    const body = message(clinic.numberId, phone, { text: '' });
    Object.assign(body.entry[0]?.changes[0]?.value as object, {
      messages: [
        { from: phone.slice(1), id: `wamid.${randomUUID()}`, timestamp: '1', type: 'button', button: { payload: `visit|${action}|${booked.id}`, text: 'x' } },
      ],
    });
    await talks.deliver(body);
    await talks.settled();
    expect((await talks.thread(clinic.id, phone)).at(-1)?.content.text).toContain(answer);
    expect(booked.status).toBe(status);
  });

  test('a button with the id of another phone changes nothing', async () => {
    const { booked, clinic } = await reminded();
    const stranger = talks.phone();
    await talks.deliver(message(clinic.numberId, stranger, { choice: { id: `visit|drop|${booked.id}`, title: 'Cancelar cita' } }));
    await talks.settled();
    expect((await talks.thread(clinic.id, stranger)).at(-1)?.content.text).toContain('ya no está pendiente');
    expect(booked.status).toBe('confirmed');
  });
});

describe('the desk', () => {
  test('a visit that the desk cancels is told, once; one that the patient cancels by chat is not', async () => {
    const { clinic, phone, booked } = await visit();
    talks.scheduling.change(booked, { status: 'cancelled' });
    await Promise.all([told.status(booked, 'confirmed'), told.status(booked, 'confirmed')]);
    const [notice, ...others] = await outOf(clinic.id, 'appointment_notice');
    expect(others).toEqual([]);
    expect(await prepared(notice)).toMatchObject({
      phone,
      content: { text: 'Hola, Rosa. Su cita en Sonrisa fue cancelada:\n📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas' },
      outsideWindow: { name: 'appointment_cancelled' },
    });
    const other = await visit();
    talks.scheduling.change(other.booked, { status: 'cancelled' });
    await told.status(other.booked, 'confirmed', true);
    expect(await outOf(other.clinic.id, 'appointment_notice')).toEqual([]);
  });

  test('a visit that the desk moves is told as it is in the end', async () => {
    const { clinic, booked } = await visit();
    talks.scheduling.change(booked, { time: '11:00' });
    await told.moved(booked, '2026-06-03T10:00');
    talks.scheduling.change(booked, { time: '11:30' });
    await told.moved(booked, '2026-06-03T11:00');
    const [first, second] = await outOf(clinic.id, 'appointment_notice');
    expect(await prepared(first)).toEqual({ drop: 'superseded' });
    expect(await prepared(second)).toMatchObject({ content: { text: expect.stringContaining('11:30 a. m.') } });
    talks.scheduling.change(booked, { status: 'cancelled' });
    expect(await prepared(second)).toEqual({ drop: 'changed_again' });
  });

  test('what happens at night is told in the morning, unless the visit is before', async () => {
    talks.clock.set(at('2026-06-02T22:00'));
    const { clinic, booked } = await visit();
    talks.scheduling.change(booked, { status: 'cancelled' });
    await told.status(booked, 'confirmed');
    const [notice] = await talks.look(`select next_attempt_at from outbound where clinic_id = $1 and kind = 'appointment_notice'`, [clinic.id]);
    expect(notice.next_attempt_at).toEqual(at('2026-06-03T07:00'));
    const early = await visit('2026-06-03', '08:00');
    talks.scheduling.change(early.booked, { time: '08:30' });
    await told.moved(early.booked, '2026-06-03T07:30');
    const [now] = await talks.look(`select next_attempt_at from outbound where clinic_id = $1 and kind = 'appointment_notice'`, [early.clinic.id]);
    expect(now.next_attempt_at).toEqual(at('2026-06-02T22:00'));
  });

  test('old news is no news', async () => {
    const { clinic, booked } = await visit('2026-06-20');
    talks.scheduling.change(booked, { status: 'cancelled' });
    talks.clock.set(at('2026-06-03T10:00'));
    await told.status(booked, 'confirmed');
    expect(await outOf(clinic.id, 'appointment_notice')).toEqual([]);
  });

  test('visits of the past, completed or missed ones are not told of', async () => {
    const { clinic, booked } = await visit();
    talks.scheduling.change(booked, { status: 'completed' });
    await told.status(booked, 'confirmed');
    talks.clock.set(at('2026-06-04T10:00'));
    talks.scheduling.change(booked, { status: 'cancelled' });
    await told.status(booked, 'completed');
    expect(await outOf(clinic.id, 'appointment_notice')).toEqual([]);
  });
});

describe('others', () => {
  test('an offer of the waitlist is asked once, while it is open, and its buttons carry it', async () => {
    const { clinic, phone, booked } = await visit();
    const offer = { entryId: randomUUID(), offerId: randomUUID() };
    const expiresAt = timestampFromDate(new Date(MONDAY.getTime() + 15 * 60_000));
    const event = { ...offer, patientId: booked.patientId, expiresAt };
    for (let i = 0; i < 2; i++) await deliver(onWaitlistOffered(app), WaitlistOfferedSchema, clinic.id, event);
    const [queued, ...others] = await outOf(clinic.id, 'waitlist');
    expect(others).toEqual([]);
    talks.scheduling.state.offered = [
      {
        id: offer.entryId,
        patientId: booked.patientId,
        offer: { id: offer.offerId, doctorId: booked.doctorId, appointmentDate: '2026-06-02', startTime: '09:00:00', expiresAt },
      },
    ];
    expect(await prepared(queued)).toMatchObject({
      phone,
      content: {
        text: 'Hola, Rosa. Se liberó una hora en Sonrisa:\n📅 martes 2 de junio, 9:00 a. m., Dra. Ana Rivas\n\n¿La desea? Se la guardamos hasta: 8:15 a. m.',
        buttons: [{ id: `offer|yes|${offer.entryId}|${offer.offerId}` }, { id: `offer|no|${offer.entryId}|${offer.offerId}` }],
      },
    });
    talks.clock.advance(16 * 60_000);
    expect(await prepared(queued)).toEqual({ drop: 'offer_over' });
  });

  test('a payment reminder says what is owed then, and nothing when nothing is', async () => {
    const { clinic, phone, booked } = await visit();
    const paymentPlanId = randomUUID();
    const event = { paymentPlan: { paymentPlanId, patientId: booked.patientId }, month: '2026-06' };
    for (let i = 0; i < 2; i++) await deliver(onPaymentReminderDue(app), PaymentReminderDueSchema, clinic.id, event);
    const [queued, ...others] = await outOf(clinic.id, 'payment_reminder');
    expect(others).toEqual([]);
    talks.plan.known = { id: paymentPlanId, patientId: booked.patientId, status: 'active', reminderEnabled: true, totalAmount: 10_000n, amountPaid: 3_333n };
    expect(await prepared(queued)).toMatchObject({
      phone,
      content: { type: 'text', text: 'Hola, Rosa. Le recordamos su plan de pagos en Sonrisa. Saldo pendiente: $66.67.' },
      outsideWindow: { name: 'payment_reminder' },
    });
    talks.plan.known = { ...talks.plan.known, status: 'paid' };
    expect(await prepared(queued)).toEqual({ drop: 'not_owed' });
  });

  test('a talk goes on after a reminder as if there were none', async () => {
    await runScript(talks, '! visit 2026-06-03 10:00\n! reminder\n> agendar\n< ¿Con quién desea su cita?');
  });
});
