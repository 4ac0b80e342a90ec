// Notices of changes to appointments, and the other messages that are not replies: offers, prescriptions, forms, payment reminders.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asUser } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { PaymentReminderDueSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { AppointmentBookedSchema, FormSentSchema, PrescriptionSentSchema, WaitlistOfferedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { BotService } from '@clinic/proto/messaging/v1/bot_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MONDAY, runScript } from '../testing/conversation-script.ts';
import { at, buttonId, type Reminders, startReminders, stateOf } from '../testing/reminders.ts';
import { onFormSent, onPaymentReminderDue, onPrescriptionSent, onWaitlistOffered } from './consumers.ts';
import { isSuperseded } from './reminders.sql.ts';
import { mailNoticeJob } from './send-notice.ts';
import { sendDueReminders } from './send-reminders.ts';

let r: Reminders;
beforeAll(async () => {
  r = await startReminders();
});
afterAll(() => r.stop());
beforeEach(() => r.reset());

describe('a notice', () => {
  test('is sent once for an appointment that the staff cancel, and not for one that the patient cancels by chat', async () => {
    const { clinic, phone, booked } = await r.bookAppointment();
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    await Promise.all([r.publish.status(booked, 'confirmed'), r.publish.status(booked, 'confirmed')]);
    const [notice, ...others] = await r.outOf(clinic.id, 'appointment_notice');
    expect(others).toEqual([]);
    expect(await r.prepared(notice)).toMatchObject({
      phone,
      content: { text: 'Hola, Rosa. Su cita en Sonrisa fue cancelada:\n📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas' },
      outsideWindow: { name: 'appointment_cancelled' },
    });
    const other = await r.bookAppointment();
    r.bot.scheduling.change(other.booked, { status: 'cancelled' });
    await r.publish.status(other.booked, 'confirmed', true);
    expect(await r.outOf(other.clinic.id, 'appointment_notice')).toEqual([]);
  });

  test('follows an online booking, once, but not a manual one or a request', async () => {
    const { clinic, booked } = await r.bookAppointment();
    for (const source of ['online', 'online', 'manual']) {
      const event = { appointment: { ...stateOf(booked), source } };
      await r.deliver(r.consumerOf(AppointmentBookedSchema), AppointmentBookedSchema, clinic.id, event);
    }
    const [notice, ...others] = await r.outOf(clinic.id, 'appointment_notice');
    expect(others).toEqual([]);
    expect(await r.prepared(notice)).toMatchObject({
      content: {
        text: 'Hola, Rosa. Su cita en Sonrisa está agendada:\n📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas\n\n¡Le esperamos!',
        choices: [{ id: buttonId('move', booked.id) }, { id: buttonId('drop', booked.id) }],
      },
      outsideWindow: { name: 'appointment_booked' },
    });
    const requested = await r.bookAppointment();
    const event = { appointment: { ...stateOf(requested.booked), status: 'pending', source: 'online' } };
    await r.deliver(r.consumerOf(AppointmentBookedSchema), AppointmentBookedSchema, requested.clinic.id, event);
    expect(await r.outOf(requested.clinic.id, 'appointment_notice')).toEqual([]);
  });

  test('announces the decision of the clinic about a request', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.publish.status(booked, 'pending');
    const [confirmed] = await r.outOf(clinic.id, 'appointment_notice');
    expect(await r.prepared(confirmed)).toMatchObject({
      content: {
        text: 'Hola, Rosa. Sonrisa confirmó la cita que usted pidió:\n📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas',
        choices: [{ id: buttonId('move', booked.id) }, { id: buttonId('drop', booked.id) }],
      },
      outsideWindow: { name: 'appointment_confirmed' },
    });
    const other = await r.bookAppointment();
    r.bot.scheduling.change(other.booked, { status: 'cancelled' });
    await r.publish.status(other.booked, 'pending');
    const [declined] = await r.outOf(other.clinic.id, 'appointment_notice');
    expect(await r.prepared(declined)).toMatchObject({
      content: { text: expect.stringContaining('Lo sentimos: Sonrisa no puede atenderle') },
      outsideWindow: { name: 'appointment_declined' },
    });
  });

  test('is dropped when the event of an earlier change arrives after it was stored, and replaces that of an earlier one', async () => {
    const { clinic, booked } = await r.bookAppointment();
    r.bot.scheduling.change(booked, { date: '2026-06-05' });
    await r.publish.moved({ ...booked, revision: 3 }, '2026-06-04T10:00');
    await r.publish.moved({ ...booked, revision: 2, date: '2026-06-04' }, '2026-06-03T10:00');
    const [newer, older] = await r.outOf(clinic.id, 'appointment_notice');
    expect(await r.prepared(older)).toEqual({ drop: 'superseded' });
    expect(await r.prepared(newer)).toMatchObject({ outsideWindow: { name: 'appointment_moved' } });
  });

  test('is a mail, sent once, if the clinic has no chat or the patient no phone, and is listed for the staff', async () => {
    const { clinic, booked } = await r.bookAppointment();
    for (const one of r.bot.scheduling.patients) if (one.id === booked.patientId) one.phone = '';
    r.bot.scheduling.change(booked, { time: '11:00' });
    await r.publish.moved(booked, '2026-06-03T10:00');
    const [moved] = await r.outOf(clinic.id, 'appointment_notice');
    expect(await r.prepared(moved)).toEqual({ drop: 'no_phone' });
    r.bot.scheduling.state.emails.set(booked.id, 'rosa@example.com'); // the address given with the online booking
    for (let time = 0; time < 2; time++) expect(await r.prepared(moved)).toEqual({ drop: 'by_mail' });
    await r.bot.look("update outbound set state = 'dropped', error_code = 'by_mail' where id = $1", [moved?.id]);
    await r.bot.look(`update channels set status = 'disconnected' where clinic_id = $1`, [clinic.id]);
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    for (let time = 0; time < 2; time++) await r.publish.status(booked, 'pending');
    const sent = async () => (await r.bot.service.client(BotService).getAppointmentMessages({ id: booked.id }, asUser(clinic.id))).messages;
    await waitFor(async () => expect((await sent()).filter(({ kind }) => !kind.startsWith('reminder')).map(({ kind }) => kind)).toEqual(['moved', 'declined']));
  });

  test('by mail replaces an earlier one that still waits for the mail server', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.bot.look(`update channels set status = 'disconnected' where clinic_id = $1`, [clinic.id]);
    r.bot.scheduling.state.emails.set(booked.patientId, 'rosa@example.com');
    const mails = () => r.bot.look(`select reference, state from mails where reference like $1 order by created_at`, [`${booked.id}/%`]);
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    await r.publish.status(booked, 'confirmed');
    const cancelled = `${booked.id}/${booked.revision}/cancelled`;
    await waitFor(async () => expect(await mails()).toEqual([{ reference: cancelled, state: 'sent' }]));
    await r.bot.look(`update mails set state = 'queued' where reference = $1`, [cancelled]); // as while the mail server refuses it
    r.bot.scheduling.change(booked, { status: 'confirmed' });
    await r.publish.status(booked, 'cancelled');
    const restored = `${booked.id}/${booked.revision}/restored`;
    await waitFor(async () =>
      expect(await mails()).toEqual([
        { reference: cancelled, state: 'dead' },
        { reference: restored, state: 'sent' },
      ]),
    );
    const notice = { kind: 'appointment_notice', appointmentId: booked.id, change: 'moved' } as const;
    const isReplaced = (revision: number) => isSuperseded(r.app.db, clinic.id, { ...notice, revision: String(revision) });
    expect([await isReplaced(booked.revision - 1), await isReplaced(booked.revision)]).toEqual([true, false]);
    const { messages } = await r.bot.service.client(BotService).getAppointmentMessages({ id: booked.id }, asUser(clinic.id));
    expect(messages.filter(({ kind }) => !kind.startsWith('reminder'))).toMatchObject([
      { kind: 'cancelled', status: 'dropped', reason: 'superseded', detail: 'A newer message replaces it' },
      { kind: 'restored', status: 'sent' },
    ]);
  });

  test('by mail is not sent while the subscription of the clinic has expired', async () => {
    const { clinic, booked } = await r.bookAppointment();
    r.bot.scheduling.state.emails.set(booked.patientId, 'rosa@example.com');
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    const reference = `${booked.id}/${booked.revision}/cancelled`;
    const stored = async () => {
      await mailNoticeJob(r.app).work({ clinicId: clinic.id, reference });
      return (await r.bot.look('select from mails where reference = $1', [reference])).length;
    };
    r.bot.expiries.set(clinic.id, new Date(MONDAY.getTime() - 86_400_000));
    expect(await stored()).toBe(0);
    r.bot.expiries.delete(clinic.id);
    expect(await stored()).toBe(1);
  });

  test('of an appointment that the staff move twice shows the final time', async () => {
    const { clinic, booked } = await r.bookAppointment();
    r.bot.scheduling.change(booked, { time: '11:00' });
    await r.publish.moved(booked, '2026-06-03T10:00');
    r.bot.scheduling.change(booked, { time: '11:30' });
    await r.publish.moved(booked, '2026-06-03T11:00');
    const [first, second] = await r.outOf(clinic.id, 'appointment_notice');
    expect(await r.prepared(first)).toEqual({ drop: 'superseded' });
    expect(await r.prepared(second)).toMatchObject({ content: { text: expect.stringContaining('11:30 a. m.') } });
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    expect(await r.prepared(second)).toEqual({ drop: 'changed_again' });
  });

  test('of a series that the staff move or cancel is a single message, with the state at the time of sending', async () => {
    const { clinic, booked } = await r.bookAppointment();
    const seriesId = randomUUID();
    const { patientId, doctorId } = booked;
    const series = ['2026-06-09', '2026-06-16', '2026-06-23'].map((date) =>
      r.bot.scheduling.book({ clinicId: clinic.id, doctorId, patientId, date, time: '09:00', source: 'manual', seriesId }),
    );
    for (const one of series) r.bot.scheduling.change(one, { time: '11:00' });
    for (const [index, one] of series.toReversed().entries()) await r.publish.moved(one, `${one.date}T09:00`, false, series.length - index);
    const [moved, ...others] = await r.outOf(clinic.id, 'appointment_notice');
    expect([others, moved?.reference]).toEqual([[], `${series[0]?.id}/2/moved_series`]);
    expect(await r.prepared(moved)).toMatchObject({
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
    for (const one of series) r.bot.scheduling.change(one, { status: 'cancelled' });
    for (const [index, one] of series.entries()) await r.publish.status(one, 'confirmed', false, index + 1);
    expect(await r.prepared(moved)).toEqual({ drop: 'superseded' });
    const [, cancelled, ...more] = await r.outOf(clinic.id, 'appointment_notice');
    expect(more).toEqual([]);
    // The first one is restored before the notice is sent, which still lists the others.
    for (const one of series.slice(0, 1)) r.bot.scheduling.change(one, { status: 'confirmed' });
    expect(await r.prepared(cancelled)).toMatchObject({
      content: { text: expect.stringMatching(/^Hola, Rosa\. Estas citas suyas en Sonrisa fueron canceladas:\n.*16 de junio.*\n.*23 de junio/) },
      outsideWindow: { name: 'appointment_cancelled' },
    });
    for (const one of series) r.bot.scheduling.change(one, { status: 'confirmed' });
    expect(await r.prepared(cancelled)).toEqual({ drop: 'changed_again' });
  });

  test('is needed by the start of the appointment, old or new, whichever is first', async () => {
    const neededBy = async (clinicId: string) =>
      (await r.bot.look(`select needed_by from outbound where clinic_id = $1 and kind = 'appointment_notice'`, [clinicId])).map((row) => row.needed_by);
    const { clinic, booked } = await r.bookAppointment();
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    await r.publish.status(booked, 'confirmed');
    expect(await neededBy(clinic.id)).toEqual([at('2026-06-03T10:00')]);
    const moved = await r.bookAppointment('2026-06-03', '08:00');
    r.bot.scheduling.change(moved.booked, { time: '08:30' });
    await r.publish.moved(moved.booked, '2026-06-03T07:30');
    expect(await neededBy(moved.clinic.id)).toEqual([at('2026-06-03T07:30')]);
  });

  test('is not sent for a change more than a day ago', async () => {
    const { clinic, booked } = await r.bookAppointment('2026-06-20');
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    r.bot.clock.set(at('2026-06-03T10:00'));
    await r.publish.status(booked, 'confirmed');
    expect(await r.outOf(clinic.id, 'appointment_notice')).toEqual([]);
  });

  test('is not sent for past appointments', async () => {
    const { clinic, booked } = await r.bookAppointment();
    r.bot.scheduling.change(booked, { status: 'completed' });
    await r.publish.status(booked, 'confirmed');
    r.bot.clock.set(at('2026-06-04T10:00'));
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    await r.publish.status(booked, 'completed');
    expect(await r.outOf(clinic.id, 'appointment_notice')).toEqual([]);
  });
});

describe('other messages', () => {
  test('an offer from the waitlist is stored once, sent while it is open, and its buttons contain its ids', async () => {
    const { clinic, phone, booked } = await r.bookAppointment();
    const offer = { entryId: randomUUID(), offerId: randomUUID() };
    const expiresAt = timestampFromDate(new Date(MONDAY.getTime() + 15 * 60_000));
    const event = { ...offer, patientId: booked.patientId, expiresAt };
    for (let i = 0; i < 2; i++) await r.deliver(onWaitlistOffered(r.app), WaitlistOfferedSchema, clinic.id, event);
    const [queued, ...others] = await r.outOf(clinic.id, 'waitlist');
    expect(others).toEqual([]);
    r.bot.scheduling.state.offered = [
      {
        id: offer.entryId,
        until: new Date(MONDAY.getTime() + 15 * 60_000),
        patientId: booked.patientId,
        offer: { id: offer.offerId, doctorId: booked.doctorId, appointmentDate: '2026-06-02', startTime: '09:00:00', expiresAt },
      },
    ];
    expect(await r.prepared(queued)).toMatchObject({
      phone,
      content: {
        text: 'Hola, Rosa. Se liberó una hora en Sonrisa:\n📅 martes 2 de junio, 9:00 a. m., Dra. Ana Rivas\n\n¿La desea? Se la guardamos hasta: 8:15 a. m.',
        choices: [{ id: `offer|yes|${offer.entryId}|${offer.offerId}` }, { id: `offer|no|${offer.entryId}|${offer.offerId}` }],
      },
    });
    Object.assign(r.bot.scheduling.state.offered[0] as object, { notes: 'Por chat, para: Luis Gómez' });
    expect(await r.prepared(queued)).toMatchObject({ content: { text: expect.stringContaining('9:00 a. m., Dra. Ana Rivas, Luis Gómez') } });
    r.bot.clock.advance(16 * 60_000);
    expect(await r.prepared(queued)).toEqual({ drop: 'offer_over' });
  });

  test.each([
    ['by day, at once', '2026-06-01T20:59', '2026-06-02T11:00', '2026-06-01T20:59'],
    ['at night, when the quiet hours end', '2026-06-01T22:00', '2026-06-02T11:00', '2026-06-02T07:00'],
    ['at night, at once if the appointment comes first', '2026-06-01T22:00', '2026-06-02T07:30', '2026-06-01T22:00'],
  ])('an offer of a clinic without chat starts %s', async (_when, offered, starts, expected) => {
    const { clinic, booked } = await r.bookAppointment();
    await r.bot.look("update channels set status = 'disconnected' where clinic_id = $1", [clinic.id]);
    r.bot.clock.set(at(offered));
    const offer = { entryId: randomUUID(), offerId: randomUUID() };
    const startsAt = timestampFromDate(at(starts));
    await r.deliver(onWaitlistOffered(r.app), WaitlistOfferedSchema, clinic.id, {
      ...offer,
      patientId: booked.patientId,
      startsAt,
      expiresAt: startsAt,
      timezone: 'America/El_Salvador',
    });
    const jobs = await r.bot.look("select start_after from messaging_jobs.job where name = 'start-waitlist-offer' and data ->> 'offerId' = $1", [
      offer.offerId,
    ]);
    expect(jobs).toEqual([{ start_after: at(expected) }]);
    expect(await r.outOf(clinic.id, 'waitlist')).toEqual([]);
  });

  test('a prescription is sent as a link once, and not after the link has expired', async () => {
    const { clinic, phone, booked } = await r.bookAppointment();
    const linkId = randomUUID();
    const link = 'https://clinic.example/api/prescriptions/shared/x.pdf';
    for (let i = 0; i < 2; i++) await r.deliver(onPrescriptionSent(r.app), PrescriptionSentSchema, clinic.id, { linkId, patientId: booked.patientId });
    const [queued, ...others] = await r.outOf(clinic.id, 'prescription');
    expect(others).toEqual([]);
    r.bot.scheduling.state.prescriptions.set(linkId, { patientId: booked.patientId, number: 7, link });
    expect(await r.prepared(queued)).toMatchObject({
      phone,
      content: { text: `Hola, Rosa. Sonrisa le envía su receta N.º 7. Ábrala aquí (durante 30 días):\n${link}` },
      outsideWindow: { name: 'prescription', variables: ['Rosa', 'Sonrisa', '7', link] },
    });
    r.bot.scheduling.state.prescriptions.delete(linkId);
    expect(await r.prepared(queued)).toEqual({ drop: 'too_late' });
  });

  test('forms are sent as a link: on request, and with the reminder of the day before if one is missing', async () => {
    const { clinic, phone, booked } = await r.bookAppointment();
    const [formId, sendId] = [randomUUID(), randomUUID()];
    const form = { patientId: booked.patientId, title: 'Historia médica', link: 'https://clinic.example/forms/x' };
    for (let i = 0; i < 2; i++) await r.deliver(onFormSent(r.app), FormSentSchema, clinic.id, { formId, sendId, patientId: booked.patientId });
    await r.publish.booked(booked);
    r.bot.scheduling.state.forms.set(formId, form).set(booked.id, form);
    for (const time of ['2026-06-02T10:00', '2026-06-03T08:00']) {
      r.bot.clock.set(at(time));
      await sendDueReminders(r.app);
    }
    expect(await r.outOf(clinic.id)).toHaveLength(2);
    const sent = [...(await r.outOf(clinic.id, 'form')), ...(await r.outOf(clinic.id, 'appointment_forms'))];
    expect(sent.map(({ kind }) => kind)).toEqual(['form', 'appointment_forms']);
    const shown = {
      phone,
      content: { text: `Hola, Rosa. Sonrisa le pide llenar y firmar «Historia médica» desde su teléfono:\n${form.link}` },
      outsideWindow: { name: 'form', variables: ['Rosa', 'Sonrisa', 'Historia médica', form.link] },
    };
    for (const one of sent) expect(await r.prepared(one)).toMatchObject(shown);
    const { messages } = await r.bot.service.client(BotService).getAppointmentMessages({ id: booked.id }, asUser(clinic.id));
    expect(messages.map(({ kind }) => kind)).toContain('forms');
    r.bot.scheduling.state.forms.clear();
    for (const one of sent) expect(await r.prepared(one)).toEqual({ drop: 'nothing_to_sign' });
  });

  test('a payment reminder shows the balance, and is dropped if nothing is owed', async () => {
    const { clinic, phone, booked } = await r.bookAppointment();
    const paymentPlanId = randomUUID();
    const event = { paymentPlan: { paymentPlanId, patientId: booked.patientId }, month: '2026-06' };
    for (let i = 0; i < 2; i++) await r.deliver(onPaymentReminderDue(r.app), PaymentReminderDueSchema, clinic.id, event);
    const [queued, ...others] = await r.outOf(clinic.id, 'payment_reminder');
    expect(others).toEqual([]);
    r.bot.plan.known = { id: paymentPlanId, patientId: booked.patientId, status: 'active', reminderEnabled: true, totalAmount: 10_000n, amountPaid: 3_333n };
    expect(await r.prepared(queued)).toMatchObject({
      phone,
      content: { text: 'Hola, Rosa. Le recordamos su plan de pagos en Sonrisa. Saldo pendiente: Q\u00a066.67.' },
      outsideWindow: { name: 'payment_reminder' },
    });
    r.bot.plan.known = { ...r.bot.plan.known, status: 'paid' };
    expect(await r.prepared(queued)).toEqual({ drop: 'not_owed' });
  });

  test('a message that does not answer a reminder starts a conversation as usual', async () => {
    await runScript(r.bot, '! appointment 2026-06-03 10:00\n! reminder\n> agendar\n< ¿Con quién desea su cita?');
  });
});
