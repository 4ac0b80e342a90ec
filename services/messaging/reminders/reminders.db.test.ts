// Reminders and notices of appointments: planned, sent once, cancelled, and answered by their buttons.
import { randomUUID } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createSignal } from '@clinic/lib/background/signal.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import type { Consumer } from '@clinic/lib/events/events.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asUser } from '@clinic/lib/testing/callers.ts';
import { testRing } from '@clinic/lib/testing/settings.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { PaymentReminderDueSchema } from '@clinic/proto/events/v1/dental_pb.js';
import {
  AppointmentBookedSchema,
  AppointmentRescheduledSchema,
  AppointmentStatusChangedSchema,
  FormSentSchema,
  PrescriptionSentSchema,
  WaitlistOfferedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import { BotService } from '@clinic/proto/messaging/v1/bot_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type App, createClients } from '../app.ts';
import { createClinics } from '../clinics/clinics.ts';
import type { OutboundRow } from '../outbound/outbound.sql.ts';
import { prepareMessage } from '../outbound/prepare.ts';
import { type BotFixture, MONDAY, message, runScript, startBot } from '../testing/conversation-script.ts';
import { type Booked, startOf } from '../testing/fake-scheduling.ts';
import { onFormSent, onPaymentReminderDue, onPrescriptionSent, onWaitlistOffered } from './consumers.ts';
import { onAppointmentChanged } from './on-appointment-changed.ts';
import { prepares } from './prepares.ts';
import { sendDueReminders } from './send-reminders.ts';

let bot: BotFixture;
let app: App;
beforeAll(async () => {
  bot = await startBot();
  const { clock, dependencies } = bot;
  const clients = createClients((name) => dependencies[name as keyof typeof dependencies]);
  app = {
    db: bot.service.db,
    clock,
    keys: testRing,
    log: createLog('test', 'silent'),
    ...clients,
    clinics: createClinics(clients.identity.access, clock),
    toSend: createSignal(),
  } as unknown as App;
});
afterAll(() => bot.stop());
beforeEach(() => {
  bot.clock.set(MONDAY);
  bot.scheduling.state.unavailable = false;
});

const at = (local: string) => new Date(`${local}:00-06:00`);
const deliver = <M extends DescMessage>(consumer: Consumer, schema: M, clinicId: string, event: MessageInitShape<M>) =>
  asSystem(bot.service.db, (tx) => consumer.handle(tx, create(schema, event) as never, { id: randomUUID(), clinicId, subject: '' }));
const stateOf = ({ id, revision, status, date, time, changedAt }: Booked) => ({
  appointmentId: id,
  revision,
  status,
  startsAt: timestampFromDate(startOf(date, time)),
  timezone: 'America/El_Salvador',
  changedAt: timestampFromDate(changedAt),
});
const appointmentConsumer = (event: DescMessage) => onAppointmentChanged(app).find((consumer) => consumer.event === event) as Consumer;
const publish = {
  booked: (appointment: Booked) =>
    deliver(appointmentConsumer(AppointmentBookedSchema), AppointmentBookedSchema, appointment.clinicId, { appointment: stateOf(appointment) }),
  moved: (appointment: Booked, before: string, byChat = false, seriesPosition = 0) =>
    deliver(appointmentConsumer(AppointmentRescheduledSchema), AppointmentRescheduledSchema, appointment.clinicId, {
      appointment: stateOf(appointment),
      previousStartsAt: timestampFromDate(at(before)),
      byChat,
      seriesPosition,
    }),
  status: (appointment: Booked, previousStatus: string, byChat = false, seriesPosition = 0) =>
    deliver(appointmentConsumer(AppointmentStatusChangedSchema), AppointmentStatusChangedSchema, appointment.clinicId, {
      appointment: stateOf(appointment),
      previousStatus,
      byChat,
      seriesPosition,
    }),
};

/** An appointment of a new patient in a new clinic. No event of it has been delivered. */
async function bookAppointment(date = '2026-06-03', time = '10:00') {
  const clinic = await bot.clinic();
  const phone = bot.phone();
  const doctor = bot.scheduling.doctors.find(({ clinicId }) => clinicId === clinic.id);
  const { id: patientId } = bot.scheduling.patient(clinic.id, phone, 'Rosa Díaz');
  const booked = bot.scheduling.book({ clinicId: clinic.id, doctorId: doctor?.id ?? '', patientId, date, time, source: 'manual' });
  return { clinic, phone, booked };
}
const plansOf = async ({ id }: Booked): Promise<unknown[]> => {
  const rows = await bot.look('select kind, due_at, state from reminders where appointment_id = $1 order by kind', [id]);
  return rows.map(({ kind, due_at, state }) => [kind, state, due_at && new Date(due_at.getTime() - 6 * 3_600_000).toISOString().slice(0, 16)]);
};
const outOf = (clinicId: string, kind = 'appointment_reminder'): Promise<OutboundRow[]> =>
  bot.look('select * from outbound where clinic_id = $1 and kind = $2 order by seq', [clinicId, kind]);
const prepared = (queued: OutboundRow | undefined) => prepareMessage(app, prepares, queued as OutboundRow);
// plain-words: visit is in the ids of buttons
const buttonId = (action: string, id: string) => `visit|${action}|${id}`;
const PLANNED = [
  ['day', 'planned', '2026-06-02T10:00'],
  ['hours', 'planned', '2026-06-03T08:00'],
];
const NONE = [
  ['day', 'none', null],
  ['hours', 'none', null],
];

describe('planning', () => {
  test('two for an appointment, a day and two hours before', async () => {
    const { booked } = await bookAppointment();
    await publish.booked(booked);
    expect(await plansOf(booked)).toEqual(PLANNED);
  });

  test('none within an hour of the booking, and only the later one when the earlier would be due within it', async () => {
    const { booked } = await bookAppointment('2026-06-01', '11:00');
    await publish.booked(booked);
    expect(await plansOf(booked)).toEqual([
      ['day', 'none', null],
      ['hours', 'planned', '2026-06-01T09:00'],
    ]);
    const soon = await bookAppointment('2026-06-01', '10:30');
    await publish.booked(soon.booked);
    expect(await plansOf(soon.booked)).toEqual(NONE);
  });

  test('an event that comes late counts from the booking, not from its delivery', async () => {
    const { booked } = await bookAppointment();
    bot.clock.set(at('2026-06-02T09:30'));
    await publish.booked(booked);
    expect(await plansOf(booked)).toEqual(PLANNED);
  });

  test('move, are cancelled and are planned again with the appointment', async () => {
    const { booked } = await bookAppointment();
    await publish.booked(booked);
    bot.scheduling.change(booked, { date: '2026-06-04' });
    await publish.moved(booked, '2026-06-03T10:00');
    expect(await plansOf(booked)).toEqual([
      ['day', 'planned', '2026-06-03T10:00'],
      ['hours', 'planned', '2026-06-04T08:00'],
    ]);
    bot.scheduling.change(booked, { status: 'cancelled' });
    await publish.status(booked, 'confirmed');
    expect(await plansOf(booked)).toEqual(NONE);
    bot.scheduling.change(booked, { status: 'confirmed', date: '2026-06-03' });
    await publish.status(booked, 'cancelled');
    expect(await plansOf(booked)).toEqual(PLANNED);
  });

  test('do not depend on order, repetition or concurrency of the events', async () => {
    const { booked } = await bookAppointment();
    bot.scheduling.change(booked, { status: 'cancelled' });
    const all = () => [
      publish.status(booked, 'confirmed'),
      publish.booked({ ...booked, revision: 1, status: 'confirmed' }),
      publish.status(booked, 'confirmed'),
    ];
    await Promise.all([...all(), ...all()]);
    expect(await plansOf(booked)).toEqual(NONE);
    bot.scheduling.change(booked, { status: 'confirmed' });
    await Promise.all([...all(), publish.booked(booked)]);
    expect(await plansOf(booked)).toEqual(PLANNED);
  });

  test('a change of status without a change of time leaves the reminder, also one that was sent', async () => {
    const { clinic, booked } = await bookAppointment();
    await publish.booked(booked);
    bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(app);
    bot.scheduling.change(booked, { status: 'pending' });
    await publish.status(booked, 'confirmed');
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toHaveLength(1);
    expect(await plansOf(booked)).toEqual([['day', 'queued', null], PLANNED[1]]);
  });
});

describe('sending', () => {
  test('each once, with several workers, and after a crash between storing the message and the state', async () => {
    const { clinic, booked } = await bookAppointment();
    await publish.booked(booked);
    bot.clock.set(at('2026-06-02T10:00'));
    await Promise.all(Array.from({ length: 6 }, () => sendDueReminders(app)));
    expect(await outOf(clinic.id)).toHaveLength(1);
    await bot.look(`update reminders set state = 'planned', due_at = $2 where appointment_id = $1 and kind = 'day'`, [booked.id, at('2026-06-02T10:00')]);
    await sendDueReminders(app);
    expect((await outOf(clinic.id)).map(({ reference }) => reference)).toEqual([`${booked.id}/day/1`]);
    bot.clock.set(at('2026-06-03T08:00'));
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toHaveLength(2);
  });

  test('none for an appointment that was cancelled, before the event of it has come', async () => {
    const { clinic, booked } = await bookAppointment();
    await publish.booked(booked);
    bot.scheduling.change(booked, { status: 'cancelled' });
    bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toEqual([]);
    expect(await bot.look(`select state, reason from reminders where appointment_id = $1 and kind = 'day'`, [booked.id])).toEqual([
      { state: 'none', reason: 'visit_over' }, // plain-words: visit is in a stored code
    ]);
  });

  test('one that waits to be sent is cancelled', async () => {
    const { clinic, booked } = await bookAppointment();
    await publish.booked(booked);
    bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(app);
    const [queued] = await outOf(clinic.id);
    bot.scheduling.change(booked, { status: 'cancelled' });
    expect(await prepared(queued)).toEqual({ drop: 'visit_over' }); // plain-words: visit is in the stored error code
    await publish.status(booked, 'confirmed');
    expect((await outOf(clinic.id)).map(({ state }) => state)).toEqual(['dropped']);
    bot.scheduling.change(booked, { status: 'confirmed', date: '2026-06-05' });
    expect(await prepared(queued)).toEqual({ drop: 'visit_moved' }); // plain-words: visit is in the stored error code
  });

  test('a run that is hours late sends nothing', async () => {
    const { clinic, booked } = await bookAppointment();
    await publish.booked(booked);
    bot.clock.set(at('2026-06-03T10:30'));
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toEqual([]);
    expect(await plansOf(booked)).toEqual(NONE);
  });

  test('a clinic that switches reminders off sends none from then on', async () => {
    const { clinic, booked } = await bookAppointment();
    await publish.booked(booked);
    bot.features.set(clinic.id, ['chat_bot']);
    bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toEqual([]);
    bot.features.delete(clinic.id);
    bot.clock.set(at('2026-06-03T08:00'));
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toHaveLength(1);
  });

  test('while scheduling is unavailable reminders wait', async () => {
    const { clinic, booked } = await bookAppointment();
    await publish.booked(booked);
    bot.clock.set(at('2026-06-02T10:00'));
    bot.scheduling.state.unavailable = true;
    await sendDueReminders(app);
    bot.scheduling.state.unavailable = false;
    expect(await outOf(clinic.id)).toEqual([]);
    await sendDueReminders(app);
    expect(await outOf(clinic.id)).toHaveLength(1);
  });

  test('without a chat number they are mails, each once', async () => {
    const { clinic, booked } = await bookAppointment();
    await bot.look(`update channels set status = 'disconnected' where clinic_id = $1`, [clinic.id]);
    bot.scheduling.state.emails.set(booked.patientId, 'rosa@example.com');
    await publish.booked(booked);
    bot.clock.set(at('2026-06-02T10:00'));
    await Promise.all(Array.from({ length: 4 }, () => sendDueReminders(app)));
    await bot.look(`update reminders set state = 'planned', due_at = $2, mailed_at = null where appointment_id = $1 and kind = 'day'`, [
      booked.id,
      at('2026-06-02T10:00'),
    ]);
    await sendDueReminders(app); // as after a kill between the mail and the state
    expect(await bot.look(`select from mails where kind = 'appointment_reminder' and reference like $1`, [`${booked.id}/%`])).toHaveLength(1);
    const { messages } = await bot.service.client(BotService).getAppointmentMessages({ id: booked.id }, asUser(clinic.id));
    expect(messages).toMatchObject([
      { kind: 'reminder_day', status: 'sent' },
      { kind: 'reminder_hours', status: 'planned' },
    ]);
  });

  test('to a patient without a phone they are mails, also in a clinic with chat; a request without an own address is not reminded of', async () => {
    const { clinic, booked } = await bookAppointment();
    const requested = bot.scheduling.book({ ...booked, date: '2026-06-03', time: '11:00' });
    bot.scheduling.change(requested, { status: 'pending' });
    for (const one of bot.scheduling.patients) if (one.id === booked.patientId) one.phone = '';
    for (const { id } of [booked, requested]) bot.scheduling.state.emails.set(id, 'rosa@example.com');
    for (const one of [booked, requested]) await publish.booked(one);
    bot.clock.set(at('2026-06-02T11:00'));
    await sendDueReminders(app);
    const mailed = await bot.look("select reference from mails where kind = 'appointment_reminder' and reference ~ $1", [`^(${booked.id}|${requested.id})`]);
    expect(mailed).toEqual([{ reference: `${booked.id}/day/1` }]);
    expect(await bot.look('select from outbound where clinic_id = $1', [clinic.id])).toEqual([]);
  });

  test('nothing is stored for a clinic without a chat number', async () => {
    const { clinic, booked } = await bookAppointment();
    await bot.look(`update channels set status = 'disconnected' where clinic_id = $1`, [clinic.id]);
    await publish.booked(booked);
    bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(app);
    bot.scheduling.change(booked, { status: 'cancelled' });
    await publish.status(booked, 'confirmed');
    expect(await bot.look('select from outbound where clinic_id = $1', [clinic.id])).toEqual([]);
  });
});

describe('the message', () => {
  async function reminded() {
    const made = await bookAppointment();
    await publish.booked(made.booked);
    bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(app);
    const [queued] = await outOf(made.clinic.id);
    return { ...made, queued: queued as OutboundRow };
  }

  test('shows the appointment with buttons; outside the window it is a template with the same payloads', async () => {
    const { phone, booked, queued } = await reminded();
    const written = await prepared(queued);
    const text = 'Hola, Rosa. Le recordamos su cita en Sonrisa:\n📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas\n\n¿Nos confirma su asistencia?';
    expect(written).toEqual({
      phone,
      content: {
        text,
        choices: [
          { id: buttonId('confirm', booked.id), title: 'Confirmar' },
          { id: buttonId('drop', booked.id), title: 'Cancelar cita' },
        ],
      },
      outsideWindow: {
        name: 'appointment_reminder',
        language: 'es',
        variables: ['Rosa', 'Sonrisa', '📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas'],
        payloads: [buttonId('confirm', booked.id), buttonId('drop', booked.id)],
      },
    });
  });

  test('is in English for a patient who wrote English, in the text of the clinic', async () => {
    const { clinic, phone, queued } = await reminded();
    await bot.deliver(message(clinic.numberId, phone, { text: 'Hello' }, undefined, bot.clock.now()));
    await bot.settled();
    await bot.look(`insert into bot_texts values ($1, 'reminder_day', 'en', 'Dear {nombre}, {cita}', now())`, [clinic.id]);
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
        {
          from: phone.slice(1),
          id: `wamid.${randomUUID()}`,
          timestamp: String(bot.clock.now().getTime() / 1000),
          type: 'button',
          button: { payload: buttonId(action, booked.id), text: 'x' },
        },
      ],
    });
    await bot.deliver(body);
    await bot.settled();
    expect((await bot.messagesOf(clinic.id, phone)).at(-1)?.content.text).toContain(answer);
    expect(booked.status).toBe(status);
  });

  test('a button with the id of another phone changes nothing', async () => {
    const { booked, clinic } = await reminded();
    const otherPhone = bot.phone();
    await bot.deliver(
      message(clinic.numberId, otherPhone, { choice: { id: buttonId('drop', booked.id), title: 'Cancelar cita' } }, undefined, bot.clock.now()),
    );
    await bot.settled();
    expect((await bot.messagesOf(clinic.id, otherPhone)).at(-1)?.content.text).toContain('ya no está pendiente');
    expect(booked.status).toBe('confirmed');
  });
});

test('the messages about an appointment are listed with their status, and why one was not sent', async () => {
  const { clinic, booked } = await bookAppointment();
  const bots = bot.service.client(BotService);
  const listed = async () => (await bots.getAppointmentMessages({ id: booked.id }, clinic.user)).messages;
  await publish.booked(booked);
  expect(await listed()).toMatchObject([
    { kind: 'reminder_day', status: 'planned', dueAt: timestampFromDate(at('2026-06-02T10:00')) },
    { kind: 'reminder_hours', status: 'planned' },
  ]);
  bot.clock.set(at('2026-06-02T10:00'));
  await sendDueReminders(app);
  bot.scheduling.change(booked, { status: 'cancelled' });
  await publish.status(booked, 'confirmed');
  expect(await listed()).toMatchObject([
    { kind: 'reminder_day', status: 'none', reason: 'visit_over', detail: 'The appointment is over or was cancelled' }, // plain-words: visit is in a stored code
    { kind: 'reminder_hours', status: 'none', reason: 'visit_over' }, // plain-words: visit is in a stored code
    { kind: 'cancelled', status: 'queued' },
  ]);
  await bot.look("update outbound set state = 'dead', error_code = 'no_answer', error = 'x' where clinic_id = $1 and kind = 'appointment_notice'", [clinic.id]);
  expect((await listed()).at(-1)).toMatchObject({ kind: 'cancelled', status: 'uncertain', reason: 'no_answer', detail: 'x' });
  const other = await bot.clinic();
  for (const id of [booked.id, randomUUID(), 'x']) await expect(bots.getAppointmentMessages({ id }, other.user)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

describe('a notice', () => {
  test('is sent once for an appointment that the staff cancel, and not for one that the patient cancels by chat', async () => {
    const { clinic, phone, booked } = await bookAppointment();
    bot.scheduling.change(booked, { status: 'cancelled' });
    await Promise.all([publish.status(booked, 'confirmed'), publish.status(booked, 'confirmed')]);
    const [notice, ...others] = await outOf(clinic.id, 'appointment_notice');
    expect(others).toEqual([]);
    expect(await prepared(notice)).toMatchObject({
      phone,
      content: { text: 'Hola, Rosa. Su cita en Sonrisa fue cancelada:\n📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas' },
      outsideWindow: { name: 'appointment_cancelled' },
    });
    const other = await bookAppointment();
    bot.scheduling.change(other.booked, { status: 'cancelled' });
    await publish.status(other.booked, 'confirmed', true);
    expect(await outOf(other.clinic.id, 'appointment_notice')).toEqual([]);
  });

  test('follows an online booking, which is not only on a page', async () => {
    const { clinic, booked } = await bookAppointment();
    for (const source of ['online', 'online', 'manual']) {
      const event = { appointment: { ...stateOf(booked), source } };
      await deliver(appointmentConsumer(AppointmentBookedSchema), AppointmentBookedSchema, clinic.id, event);
    }
    const [notice, ...others] = await outOf(clinic.id, 'appointment_notice');
    expect(others).toEqual([]);
    expect(await prepared(notice)).toMatchObject({
      content: {
        text: 'Hola, Rosa. Su cita en Sonrisa está agendada:\n📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas\n\n¡Le esperamos!',
        choices: [{ id: buttonId('move', booked.id) }, { id: buttonId('drop', booked.id) }],
      },
      outsideWindow: { name: 'appointment_booked' },
    });
    const requested = await bookAppointment();
    const event = { appointment: { ...stateOf(requested.booked), status: 'pending', source: 'online' } };
    await deliver(appointmentConsumer(AppointmentBookedSchema), AppointmentBookedSchema, requested.clinic.id, event);
    expect(await outOf(requested.clinic.id, 'appointment_notice')).toEqual([]);
  });

  test('says what the clinic decided about a request', async () => {
    const { clinic, booked } = await bookAppointment();
    await publish.status(booked, 'pending');
    const [confirmed] = await outOf(clinic.id, 'appointment_notice');
    expect(await prepared(confirmed)).toMatchObject({
      content: {
        text: 'Hola, Rosa. Sonrisa confirmó la cita que usted pidió:\n📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas',
        choices: [{ id: buttonId('move', booked.id) }, { id: buttonId('drop', booked.id) }],
      },
      outsideWindow: { name: 'appointment_confirmed' },
    });
    const other = await bookAppointment();
    bot.scheduling.change(other.booked, { status: 'cancelled' });
    await publish.status(other.booked, 'pending');
    const [declined] = await outOf(other.clinic.id, 'appointment_notice');
    expect(await prepared(declined)).toMatchObject({
      content: { text: expect.stringContaining('Lo sentimos: Sonrisa no puede atenderle') },
      outsideWindow: { name: 'appointment_declined' },
    });
  });

  test('is a mail, once, where the clinic has no chat or the patient no phone, which the desk sees', async () => {
    const { clinic, booked } = await bookAppointment();
    for (const one of bot.scheduling.patients) if (one.id === booked.patientId) one.phone = '';
    bot.scheduling.change(booked, { time: '11:00' });
    await publish.moved(booked, '2026-06-03T10:00');
    const [moved] = await outOf(clinic.id, 'appointment_notice');
    expect(await prepared(moved)).toEqual({ drop: 'no_phone' });
    bot.scheduling.state.emails.set(booked.id, 'rosa@example.com'); // of the online booking
    for (let time = 0; time < 2; time++) expect(await prepared(moved)).toEqual({ drop: 'by_mail' });
    await bot.look("update outbound set state = 'dropped', error_code = 'by_mail' where id = $1", [moved?.id]);
    await bot.look(`update channels set status = 'disconnected' where clinic_id = $1`, [clinic.id]);
    bot.scheduling.change(booked, { status: 'cancelled' });
    for (let time = 0; time < 2; time++) await publish.status(booked, 'pending');
    const sent = async () => (await bot.service.client(BotService).getAppointmentMessages({ id: booked.id }, asUser(clinic.id))).messages;
    await waitFor(async () => expect((await sent()).filter(({ kind }) => !kind.startsWith('reminder')).map(({ kind }) => kind)).toEqual(['moved', 'declined']));
  });

  test('of an appointment that the staff move twice shows the final time', async () => {
    const { clinic, booked } = await bookAppointment();
    bot.scheduling.change(booked, { time: '11:00' });
    await publish.moved(booked, '2026-06-03T10:00');
    bot.scheduling.change(booked, { time: '11:30' });
    await publish.moved(booked, '2026-06-03T11:00');
    const [first, second] = await outOf(clinic.id, 'appointment_notice');
    expect(await prepared(first)).toEqual({ drop: 'superseded' });
    expect(await prepared(second)).toMatchObject({ content: { text: expect.stringContaining('11:30 a. m.') } });
    bot.scheduling.change(booked, { status: 'cancelled' });
    expect(await prepared(second)).toEqual({ drop: 'changed_again' });
  });

  test('of a series that the staff move or cancel is one, and shows what holds when it is sent', async () => {
    const { clinic, booked } = await bookAppointment();
    const seriesId = randomUUID();
    const { patientId, doctorId } = booked;
    const series = ['2026-06-09', '2026-06-16', '2026-06-23'].map((date) =>
      bot.scheduling.book({ clinicId: clinic.id, doctorId, patientId, date, time: '09:00', source: 'manual', seriesId }),
    );
    for (const one of series) bot.scheduling.change(one, { time: '11:00' });
    for (const [index, one] of series.toReversed().entries()) await publish.moved(one, `${one.date}T09:00`, false, series.length - index);
    const [moved, ...others] = await outOf(clinic.id, 'appointment_notice');
    expect([others, moved?.reference]).toEqual([[], `${series[0]?.id}/2/moved_series`]);
    expect(await prepared(moved)).toMatchObject({
      content: {
        text: expect.stringMatching(
          /^Hola, Rosa\. Sus citas en Sonrisa cambiaron\. Ahora son:\n.* 9 de junio, 11:00 a\. m\., .*\n.*16 de junio.*\n.*23 de junio, 11:00/,
        ),
      },
      outsideWindow: {
        name: 'appointment_moved',
        variables: ['Rosa', 'Sonrisa', expect.stringMatching(/9 de junio, 11:00 a\. m\., Dra\. Ana Rivas y 2 más$/)],
      },
    });
    for (const one of series) bot.scheduling.change(one, { status: 'cancelled' });
    for (const [index, one] of series.entries()) await publish.status(one, 'confirmed', false, index + 1);
    expect(await prepared(moved)).toEqual({ drop: 'superseded' });
    const [, cancelled, ...more] = await outOf(clinic.id, 'appointment_notice');
    expect(more).toEqual([]);
    // The first one is restored before the notice is sent: the others are still notified of.
    for (const one of series.slice(0, 1)) bot.scheduling.change(one, { status: 'confirmed' });
    expect(await prepared(cancelled)).toMatchObject({
      content: { text: expect.stringMatching(/^Hola, Rosa\. Estas citas suyas en Sonrisa fueron canceladas:\n.*16 de junio.*\n.*23 de junio/) },
      outsideWindow: { name: 'appointment_cancelled' },
    });
    for (const one of series) bot.scheduling.change(one, { status: 'confirmed' });
    expect(await prepared(cancelled)).toEqual({ drop: 'changed_again' });
  });

  test('is needed before the appointment, at its old or new time', async () => {
    const neededBy = async (clinicId: string) =>
      (await bot.look(`select needed_by from outbound where clinic_id = $1 and kind = 'appointment_notice'`, [clinicId])).map((row) => row.needed_by);
    const { clinic, booked } = await bookAppointment();
    bot.scheduling.change(booked, { status: 'cancelled' });
    await publish.status(booked, 'confirmed');
    expect(await neededBy(clinic.id)).toEqual([at('2026-06-03T10:00')]);
    const moved = await bookAppointment('2026-06-03', '08:00');
    bot.scheduling.change(moved.booked, { time: '08:30' });
    await publish.moved(moved.booked, '2026-06-03T07:30');
    expect(await neededBy(moved.clinic.id)).toEqual([at('2026-06-03T07:30')]);
  });

  test('is not sent for a change of more than a day ago', async () => {
    const { clinic, booked } = await bookAppointment('2026-06-20');
    bot.scheduling.change(booked, { status: 'cancelled' });
    bot.clock.set(at('2026-06-03T10:00'));
    await publish.status(booked, 'confirmed');
    expect(await outOf(clinic.id, 'appointment_notice')).toEqual([]);
  });

  test('is not sent for appointments that are over', async () => {
    const { clinic, booked } = await bookAppointment();
    bot.scheduling.change(booked, { status: 'completed' });
    await publish.status(booked, 'confirmed');
    bot.clock.set(at('2026-06-04T10:00'));
    bot.scheduling.change(booked, { status: 'cancelled' });
    await publish.status(booked, 'completed');
    expect(await outOf(clinic.id, 'appointment_notice')).toEqual([]);
  });
});

describe('other messages', () => {
  test('an offer of the waitlist is stored once, sent while it is open, and its buttons contain its ids', async () => {
    const { clinic, phone, booked } = await bookAppointment();
    const offer = { entryId: randomUUID(), offerId: randomUUID() };
    const expiresAt = timestampFromDate(new Date(MONDAY.getTime() + 15 * 60_000));
    const event = { ...offer, patientId: booked.patientId, expiresAt };
    for (let i = 0; i < 2; i++) await deliver(onWaitlistOffered(app), WaitlistOfferedSchema, clinic.id, event);
    const [queued, ...others] = await outOf(clinic.id, 'waitlist');
    expect(others).toEqual([]);
    bot.scheduling.state.offered = [
      {
        id: offer.entryId,
        until: new Date(MONDAY.getTime() + 15 * 60_000),
        patientId: booked.patientId,
        offer: { id: offer.offerId, doctorId: booked.doctorId, appointmentDate: '2026-06-02', startTime: '09:00:00', expiresAt },
      },
    ];
    expect(await prepared(queued)).toMatchObject({
      phone,
      content: {
        text: 'Hola, Rosa. Se liberó una hora en Sonrisa:\n📅 martes 2 de junio, 9:00 a. m., Dra. Ana Rivas\n\n¿La desea? Se la guardamos hasta: 8:15 a. m.',
        choices: [{ id: `offer|yes|${offer.entryId}|${offer.offerId}` }, { id: `offer|no|${offer.entryId}|${offer.offerId}` }],
      },
    });
    bot.clock.advance(16 * 60_000);
    expect(await prepared(queued)).toEqual({ drop: 'offer_over' });
  });

  test('a prescription is sent as a link, once, and not after the link has expired', async () => {
    const { clinic, phone, booked } = await bookAppointment();
    const linkId = randomUUID();
    const link = 'https://clinic.example/api/prescriptions/shared/x.pdf';
    for (let i = 0; i < 2; i++) await deliver(onPrescriptionSent(app), PrescriptionSentSchema, clinic.id, { linkId, patientId: booked.patientId });
    const [queued, ...others] = await outOf(clinic.id, 'prescription');
    expect(others).toEqual([]);
    bot.scheduling.state.prescriptions.set(linkId, { patientId: booked.patientId, number: 7, link });
    expect(await prepared(queued)).toMatchObject({
      phone,
      content: { text: `Hola, Rosa. Sonrisa le envía su receta N.º 7. Ábrala aquí (durante 30 días):\n${link}` },
      outsideWindow: { name: 'prescription', variables: ['Rosa', 'Sonrisa', '7', link] },
    });
    bot.scheduling.state.prescriptions.delete(linkId);
    expect(await prepared(queued)).toEqual({ drop: 'too_late' });
  });

  test('forms are sent as a link: by hand, and with the reminder of the day before when one is missing', async () => {
    const { clinic, phone, booked } = await bookAppointment();
    const [formId, sendId] = [randomUUID(), randomUUID()];
    const form = { patientId: booked.patientId, title: 'Historia médica', link: 'https://clinic.example/forms/x' };
    for (let i = 0; i < 2; i++) await deliver(onFormSent(app), FormSentSchema, clinic.id, { formId, sendId, patientId: booked.patientId });
    await publish.booked(booked);
    bot.scheduling.state.forms.set(formId, form).set(booked.id, form);
    for (const time of ['2026-06-02T10:00', '2026-06-03T08:00']) {
      bot.clock.set(at(time));
      await sendDueReminders(app);
    }
    expect(await outOf(clinic.id)).toHaveLength(2);
    const sent = [...(await outOf(clinic.id, 'form')), ...(await outOf(clinic.id, 'appointment_forms'))];
    expect(sent.map(({ kind }) => kind)).toEqual(['form', 'appointment_forms']);
    const shown = {
      phone,
      content: { text: `Hola, Rosa. Sonrisa le pide llenar y firmar «Historia médica» desde su teléfono:\n${form.link}` },
      outsideWindow: { name: 'form', variables: ['Rosa', 'Sonrisa', 'Historia médica', form.link] },
    };
    for (const one of sent) expect(await prepared(one)).toMatchObject(shown);
    const { messages } = await bot.service.client(BotService).getAppointmentMessages({ id: booked.id }, asUser(clinic.id));
    expect(messages.map(({ kind }) => kind)).toContain('forms');
    bot.scheduling.state.forms.clear();
    for (const one of sent) expect(await prepared(one)).toEqual({ drop: 'nothing_to_sign' });
  });

  test('a payment reminder shows the balance, and is dropped when nothing is owed', async () => {
    const { clinic, phone, booked } = await bookAppointment();
    const paymentPlanId = randomUUID();
    const event = { paymentPlan: { paymentPlanId, patientId: booked.patientId }, month: '2026-06' };
    for (let i = 0; i < 2; i++) await deliver(onPaymentReminderDue(app), PaymentReminderDueSchema, clinic.id, event);
    const [queued, ...others] = await outOf(clinic.id, 'payment_reminder');
    expect(others).toEqual([]);
    bot.plan.known = { id: paymentPlanId, patientId: booked.patientId, status: 'active', reminderEnabled: true, totalAmount: 10_000n, amountPaid: 3_333n };
    expect(await prepared(queued)).toMatchObject({
      phone,
      content: { text: 'Hola, Rosa. Le recordamos su plan de pagos en Sonrisa. Saldo pendiente: Q\u00a066.67.' },
      outsideWindow: { name: 'payment_reminder' },
    });
    bot.plan.known = { ...bot.plan.known, status: 'paid' };
    expect(await prepared(queued)).toEqual({ drop: 'not_owed' });
  });

  test('a conversation after a reminder is the same as without one', async () => {
    await runScript(bot, '! appointment 2026-06-03 10:00\n! reminder\n> agendar\n< ¿Con quién desea su cita?');
  });
});
