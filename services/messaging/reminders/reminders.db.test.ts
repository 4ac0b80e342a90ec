// Reminders of appointments: planned, sent once, cancelled, and answered by their buttons.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asUser } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { BotService } from '@clinic/proto/messaging/v1/bot_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { TEXTS } from '../bot/rules/texts.ts';
import type { OutboundRow } from '../outbound/outbound.sql.ts';
import { message } from '../testing/conversation-script.ts';
import { at, buttonId, type Reminders, startReminders } from '../testing/reminders.ts';
import { sendDueReminders } from './send-reminders.ts';

let r: Reminders;
beforeAll(async () => {
  r = await startReminders();
});
afterAll(() => r.stop());
beforeEach(() => r.reset());

const PLANNED = [
  ['day', 'planned', '2026-06-02T10:00'],
  ['hours', 'planned', '2026-06-03T08:00'],
];
const NONE = [
  ['day', 'none', null],
  ['hours', 'none', null],
];

describe('planned reminders', () => {
  test('are two for an appointment, a day and two hours before', async () => {
    const { booked } = await r.bookAppointment();
    await r.publish.booked(booked);
    expect(await r.plansOf(booked)).toEqual(PLANNED);
  });

  test('are none within an hour of the booking: only the later one, or neither', async () => {
    const { booked } = await r.bookAppointment('2026-06-01', '11:00');
    await r.publish.booked(booked);
    expect(await r.plansOf(booked)).toEqual([
      ['day', 'none', null],
      ['hours', 'planned', '2026-06-01T09:00'],
    ]);
    const soon = await r.bookAppointment('2026-06-01', '10:30');
    await r.publish.booked(soon.booked);
    expect(await r.plansOf(soon.booked)).toEqual(NONE);
  });

  test('of a late event depend on the time of the booking, not of the delivery', async () => {
    const { booked } = await r.bookAppointment();
    r.bot.clock.set(at('2026-06-02T09:30'));
    await r.publish.booked(booked);
    expect(await r.plansOf(booked)).toEqual(PLANNED);
  });

  test('are moved, cancelled and planned again with the appointment', async () => {
    const { booked } = await r.bookAppointment();
    await r.publish.booked(booked);
    r.bot.scheduling.change(booked, { date: '2026-06-04' });
    await r.publish.moved(booked, '2026-06-03T10:00');
    expect(await r.plansOf(booked)).toEqual([
      ['day', 'planned', '2026-06-03T10:00'],
      ['hours', 'planned', '2026-06-04T08:00'],
    ]);
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    await r.publish.status(booked, 'confirmed');
    expect(await r.plansOf(booked)).toEqual(NONE);
    r.bot.scheduling.change(booked, { status: 'confirmed', date: '2026-06-03' });
    await r.publish.status(booked, 'cancelled');
    expect(await r.plansOf(booked)).toEqual(PLANNED);
  });

  test('do not depend on the order, repetition or concurrency of events', async () => {
    const { booked } = await r.bookAppointment();
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    const all = () => [
      r.publish.status(booked, 'confirmed'),
      r.publish.booked({ ...booked, revision: 1, status: 'confirmed' }),
      r.publish.status(booked, 'confirmed'),
    ];
    await Promise.all([...all(), ...all()]);
    expect(await r.plansOf(booked)).toEqual(NONE);
    r.bot.scheduling.change(booked, { status: 'confirmed' });
    await Promise.all([...all(), r.publish.booked(booked)]);
    expect(await r.plansOf(booked)).toEqual(PLANNED);
  });

  test('are those of the newest state, although an older one that arrives later has another status or time', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.publish.booked(booked);
    const cancelled = { ...booked, revision: 2, status: 'cancelled' };
    await r.publish.status({ ...booked, revision: 3 }, 'cancelled');
    await r.publish.status(cancelled, 'confirmed', true);
    expect(await r.plansOf(booked)).toEqual(PLANNED);
    r.bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(r.app);
    await r.publish.moved({ ...booked, revision: 5 }, '2026-06-04T10:00', true);
    await r.publish.moved({ ...booked, revision: 4, date: '2026-06-04' }, '2026-06-03T10:00', true);
    expect(await r.plansOf(booked)).toEqual([['day', 'queued', null], PLANNED[1]]);
    expect(await r.outOf(clinic.id)).toMatchObject([{ reference: `${booked.id}/day/1`, state: 'queued' }]);
  });

  test('stay as they are, sent or not, when the status changes but not the time', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.publish.booked(booked);
    r.bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(r.app);
    r.bot.scheduling.change(booked, { status: 'pending' });
    await r.publish.status(booked, 'confirmed');
    await sendDueReminders(r.app);
    expect(await r.outOf(clinic.id)).toHaveLength(1);
    expect(await r.plansOf(booked)).toEqual([['day', 'queued', null], PLANNED[1]]);
  });
});

describe('due reminders', () => {
  test('are sent once, by several workers and after a crash between storing the message and the state', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.publish.booked(booked);
    r.bot.clock.set(at('2026-06-02T10:00'));
    await Promise.all(Array.from({ length: 6 }, () => sendDueReminders(r.app)));
    expect(await r.outOf(clinic.id)).toHaveLength(1);
    await r.bot.look(`update reminders set state = 'planned', due_at = $2 where appointment_id = $1 and kind = 'day'`, [booked.id, at('2026-06-02T10:00')]);
    await sendDueReminders(r.app);
    expect((await r.outOf(clinic.id)).map(({ reference }) => reference)).toEqual([`${booked.id}/day/1`]);
    r.bot.clock.set(at('2026-06-03T08:00'));
    await sendDueReminders(r.app);
    expect(await r.outOf(clinic.id)).toHaveLength(2);
  });

  test('are not sent for a cancelled appointment, even before its event arrives', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.publish.booked(booked);
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    r.bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(r.app);
    expect(await r.outOf(clinic.id)).toEqual([]);
    expect(await r.bot.look(`select state, reason from reminders where appointment_id = $1 and kind = 'day'`, [booked.id])).toEqual([
      { state: 'none', reason: 'visit_over' }, // plain-words: visit is in a stored code
    ]);
  });

  test('are cancelled while they wait to be sent', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.publish.booked(booked);
    r.bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(r.app);
    const [queued] = await r.outOf(clinic.id);
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    expect(await r.prepared(queued)).toEqual({ drop: 'visit_over' }); // plain-words: visit is in the stored error code
    await r.publish.status(booked, 'confirmed');
    expect((await r.outOf(clinic.id)).map(({ state }) => state)).toEqual(['dropped']);
    r.bot.scheduling.change(booked, { status: 'confirmed', date: '2026-06-05' });
    expect(await r.prepared(queued)).toEqual({ drop: 'visit_moved' }); // plain-words: visit is in the stored error code
  });

  test('are not sent by a run that is hours late', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.publish.booked(booked);
    r.bot.clock.set(at('2026-06-03T10:30'));
    await sendDueReminders(r.app);
    expect(await r.outOf(clinic.id)).toEqual([]);
    expect(await r.plansOf(booked)).toEqual(NONE);
  });

  test('are not sent while the clinic has switched reminders off', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.publish.booked(booked);
    r.bot.features.set(clinic.id, ['chat_bot']);
    r.bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(r.app);
    expect(await r.outOf(clinic.id)).toEqual([]);
    r.bot.features.delete(clinic.id);
    r.bot.clock.set(at('2026-06-03T08:00'));
    await sendDueReminders(r.app);
    expect(await r.outOf(clinic.id)).toHaveLength(1);
  });

  test('wait while scheduling is unavailable', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.publish.booked(booked);
    r.bot.clock.set(at('2026-06-02T10:00'));
    r.bot.scheduling.state.unavailable = true;
    await sendDueReminders(r.app);
    r.bot.scheduling.state.unavailable = false;
    expect(await r.outOf(clinic.id)).toEqual([]);
    await sendDueReminders(r.app);
    expect(await r.outOf(clinic.id)).toHaveLength(1);
  });

  test.each([
    ['has no chat number', "status = 'disconnected'"],
    ['entered a number that the provider refused', "status = 'failed', phone_number_id = null, proven_number_id = null"],
    ['entered a number and no code', "status = 'pending_otp', proven_number_id = null"],
  ])('are mails, each sent once, if the clinic %s', async (_what, changes) => {
    const { clinic, booked } = await r.bookAppointment();
    await r.bot.look(`update channels set ${changes} where clinic_id = $1`, [clinic.id]);
    r.bot.scheduling.state.emails.set(booked.patientId, 'rosa@example.com');
    await r.publish.booked(booked);
    r.bot.clock.set(at('2026-06-02T10:00'));
    await Promise.all(Array.from({ length: 4 }, () => sendDueReminders(r.app)));
    await r.bot.look(`update reminders set state = 'planned', due_at = $2, mailed_at = null where appointment_id = $1 and kind = 'day'`, [
      booked.id,
      at('2026-06-02T10:00'),
    ]);
    await sendDueReminders(r.app); // as if the state had been lost
    expect(await r.bot.look(`select from mails where kind = 'appointment_reminder' and reference like $1`, [`${booked.id}/%`])).toHaveLength(1);
    await waitFor(async () => {
      const { messages } = await r.bot.service.client(BotService).getAppointmentMessages({ id: booked.id }, asUser(clinic.id));
      expect(messages).toMatchObject([
        { kind: 'reminder_day', status: 'sent' },
        { kind: 'reminder_hours', status: 'planned' },
      ]);
    });
  });

  test('by mail that still wait for the mail server are not sent if the appointment is cancelled or moved', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.bot.look(`update channels set status = 'disconnected' where clinic_id = $1`, [clinic.id]);
    r.bot.scheduling.state.emails.set(booked.patientId, 'rosa@example.com');
    await r.publish.booked(booked);
    r.bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(r.app);
    const mails = () => r.bot.look(`select state from mails where kind = 'appointment_reminder' and reference = $1`, [`${booked.id}/day/1`]);
    await waitFor(async () => expect(await mails()).toEqual([{ state: 'sent' }]));
    const shown = async () => {
      const { messages } = await r.bot.service.client(BotService).getAppointmentMessages({ id: booked.id }, asUser(clinic.id));
      return messages.map(({ kind, status, sentAt, reason, detail }) => [kind, status, sentAt !== undefined, reason, detail])[0];
    };
    const setMail = (state: string, error: string) =>
      r.bot.look('update mails set state = $2, error = $3 where reference = $1', [`${booked.id}/day/1`, state, error]);
    expect(await shown()).toEqual(['reminder_day', 'sent', true, undefined, undefined]);
    await setMail('dead', 'ECONNREFUSED');
    expect(await shown()).toEqual(['reminder_day', 'failed', false, 'failed', 'ECONNREFUSED']);
    await setMail('queued', 'ECONNREFUSED'); // as while the mail server refuses it
    expect(await shown()).toEqual(['reminder_day', 'queued', false, undefined, undefined]);
    r.bot.scheduling.change(booked, { status: 'confirmed' });
    await r.publish.status(booked, 'pending');
    expect(await mails()).toEqual([{ state: 'queued' }]);
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    await r.publish.status(booked, 'confirmed');
    expect(await mails()).toEqual([{ state: 'dead' }]);
  });

  test('by mail are not stored if the appointment is moved while the mail is composed', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.bot.look(`update channels set status = 'disconnected' where clinic_id = $1`, [clinic.id]);
    r.bot.scheduling.state.emails.set(booked.patientId, 'rosa@example.com');
    await r.publish.booked(booked);
    r.bot.clock.set(at('2026-06-02T10:00'));
    const { scheduling } = r.app;
    const getManageLink: typeof scheduling.manageLinks.getManageLink = async (...call) => {
      r.bot.scheduling.change(booked, { date: '2026-06-05' });
      await r.publish.moved(booked, '2026-06-03T10:00');
      return scheduling.manageLinks.getManageLink(...call);
    };
    await sendDueReminders({ ...r.app, scheduling: { ...scheduling, manageLinks: { ...scheduling.manageLinks, getManageLink } } });
    expect(await r.bot.look(`select state from mails where kind = 'appointment_reminder' and reference like $1`, [`${booked.id}/%`])).toEqual([]);
    expect(await r.plansOf(booked)).toEqual([
      ['day', 'planned', '2026-06-04T10:00'],
      ['hours', 'planned', '2026-06-05T08:00'],
    ]);
  });

  test('wait for a number in use whose account the provider refuses for a while', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.bot.look("update channels set status = 'failed' where clinic_id = $1", [clinic.id]);
    r.bot.scheduling.state.emails.set(booked.patientId, 'rosa@example.com');
    await r.publish.booked(booked);
    r.bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(r.app);
    expect(await r.outOf(clinic.id)).toHaveLength(1);
    expect(await r.bot.look('select from mails where reference like $1', [`${booked.id}/%`])).toEqual([]);
  });

  test('are mails to a patient without a phone, also in a clinic with chat; none for a request whose patient has no address', async () => {
    const { clinic, booked } = await r.bookAppointment();
    const requested = r.bot.scheduling.book({ ...booked, date: '2026-06-03', time: '11:00' });
    r.bot.scheduling.change(requested, { status: 'pending' });
    for (const one of r.bot.scheduling.patients) if (one.id === booked.patientId) one.phone = '';
    for (const { id } of [booked, requested]) r.bot.scheduling.state.emails.set(id, 'rosa@example.com');
    for (const one of [booked, requested]) await r.publish.booked(one);
    r.bot.clock.set(at('2026-06-02T11:00'));
    await sendDueReminders(r.app);
    const mailed = await r.bot.look("select reference from mails where kind = 'appointment_reminder' and reference ~ $1", [`^(${booked.id}|${requested.id})`]);
    expect(mailed).toEqual([{ reference: `${booked.id}/day/1` }]);
    expect(await r.bot.look('select from outbound where clinic_id = $1', [clinic.id])).toEqual([]);
  });

  test.each([
    ['the patient', 'have', true],
    ['the online booking', 'do not have', false],
  ])('by mail to the address of %s %s the link of a form, which shows health data', async (_whose, _have, isPatients) => {
    const { booked } = await r.bookAppointment();
    for (const one of r.bot.scheduling.patients) if (one.id === booked.patientId) one.phone = '';
    r.bot.scheduling.state.emails.set(isPatients ? booked.patientId : booked.id, 'rosa@example.com');
    r.bot.scheduling.state.forms.set(booked.id, { patientId: booked.patientId, title: 'Historia médica', link: 'https://clinic.example/forms/x' });
    await r.publish.booked(booked);
    r.bot.clock.set(at('2026-06-02T10:00'));
    const { scheduling } = r.app;
    let requests = 0;
    const requestAppointmentForms: typeof scheduling.forms.requestAppointmentForms = (...call) => {
      requests += 1;
      return scheduling.forms.requestAppointmentForms(...call);
    };
    await sendDueReminders({ ...r.app, scheduling: { ...scheduling, forms: { ...scheduling.forms, requestAppointmentForms } } });
    expect(await r.bot.look('select kind from mails where reference = $1', [`${booked.id}/day/1`])).toEqual([{ kind: 'appointment_reminder' }]);
    expect(requests).toBe(isPatients ? 1 : 0);
  });

  test('are not sent while the clinic has expired', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.publish.booked(booked);
    r.bot.expiries.set(clinic.id, at('2026-06-02T09:00'));
    r.bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(r.app);
    expect(await r.outOf(clinic.id)).toEqual([]);
  });

  test('are not stored as messages for a clinic without a chat number', async () => {
    const { clinic, booked } = await r.bookAppointment();
    await r.bot.look(`update channels set status = 'disconnected' where clinic_id = $1`, [clinic.id]);
    await r.publish.booked(booked);
    r.bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(r.app);
    r.bot.scheduling.change(booked, { status: 'cancelled' });
    await r.publish.status(booked, 'confirmed');
    expect(await r.bot.look('select from outbound where clinic_id = $1', [clinic.id])).toEqual([]);
  });
});

describe('the message of a reminder', () => {
  async function reminded() {
    const made = await r.bookAppointment();
    await r.publish.booked(made.booked);
    r.bot.clock.set(at('2026-06-02T10:00'));
    await sendDueReminders(r.app);
    const [queued] = await r.outOf(made.clinic.id);
    return { ...made, queued: queued as OutboundRow };
  }

  test('shows the appointment with buttons; outside the window it is a template with the same payloads', async () => {
    const { phone, booked, queued } = await reminded();
    const written = await r.prepared(queued);
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

  test.each(['Por chat, para: Carlos Díaz', 'En línea, para: Carlos Díaz\nDolor'])('names another person than the patient: %j', async (notes) => {
    const { booked, queued } = await reminded();
    booked.notes = notes;
    expect(await r.prepared(queued)).toMatchObject({
      content: {
        text: expect.stringContaining('Hola, Rosa. Le recordamos su cita en Sonrisa:\n📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas, Carlos Díaz'),
      },
      outsideWindow: { variables: ['Rosa', 'Sonrisa', expect.stringContaining('Dra. Ana Rivas, Carlos Díaz')] },
    });
  });

  test('is in English, with the text of the clinic, for a patient who wrote in English', async () => {
    const { clinic, phone, queued } = await reminded();
    await r.bot.deliver(message(clinic.numberId, phone, { text: 'Hello' }, undefined, r.bot.clock.now()));
    await r.bot.settled();
    await r.bot.look(`insert into bot_texts values ($1, 'reminder_day', 'en', 'Dear {nombre}, {cita}', now())`, [clinic.id]);
    expect(await r.prepared(queued)).toMatchObject({
      content: { text: 'Dear Rosa, 📅 Wednesday, 3 June, 10:00 AM, Dra. Ana Rivas' },
      outsideWindow: { language: 'en' },
    });
  });

  test.each([
    ['confirm', 'Su cita está confirmada', 'confirmed'],
    ['drop', 'Su cita fue cancelada', 'cancelled'],
  ])('has a button to %s that works when pressed on a template', async (action, answer, status) => {
    const { clinic, phone, booked } = await reminded();
    const body = message(clinic.numberId, phone, { text: '' });
    Object.assign(body.entry[0]?.changes[0]?.value as object, {
      messages: [
        {
          from: phone.slice(1),
          id: `wamid.${randomUUID()}`,
          timestamp: String(r.bot.clock.now().getTime() / 1000),
          type: 'button',
          button: { payload: buttonId(action, booked.id), text: 'x' },
        },
      ],
    });
    await r.bot.deliver(body);
    await r.bot.settled();
    expect((await r.bot.messagesOf(clinic.id, phone)).at(-1)?.content.text).toContain(answer);
    expect(booked.status).toBe(status);
  });

  test('has buttons that change nothing when another phone sends their ids', async () => {
    const { booked, clinic } = await reminded();
    const otherPhone = r.bot.phone();
    await r.bot.deliver(
      message(clinic.numberId, otherPhone, { choice: { id: buttonId('drop', booked.id), title: 'Cancelar cita' } }, undefined, r.bot.clock.now()),
    );
    await r.bot.settled();
    expect((await r.bot.messagesOf(clinic.id, otherPhone)).at(-1)?.content.text).toContain('ya no está pendiente');
    expect(booked.status).toBe('confirmed');
  });
});

test('settings and texts that are saved without a change are not in the audit log', async () => {
  const { id, admin } = await r.bot.clinic();
  const bots = r.bot.service.client(BotService);
  const greeting = { key: 'greeting', language: 'es', text: 'Bienvenida' };
  for (let i = 0; i < 2; i++) {
    await bots.updateReminderSettings({ quietFrom: '22:00' }, admin);
    await bots.updateBotTexts({ texts: [greeting] }, admin);
  }
  const { texts } = await bots.listBotTexts({}, admin);
  await bots.updateBotTexts({ texts: texts.map(({ key, language, text }) => ({ key, language, text })) }, admin);
  await bots.updateBotTexts({ texts: ['Adiós', TEXTS.greeting.es].map((text) => ({ ...greeting, text })) }, admin); // the last one counts
  const logged = await r.bot.look('select action, changes from audit_log where clinic_id = $1 order by id', [id]);
  expect(logged).toEqual([
    { action: 'reminder_settings.updated', changes: expect.anything() },
    { action: 'bot_texts.updated', changes: { texts: 'greeting/es' } },
    { action: 'bot_texts.updated', changes: { texts: 'greeting/es reset' } },
  ]);
});

test('concurrent changes of different settings of reminders are all saved, also the first ones of a clinic', async () => {
  const { id, admin } = await r.bot.clinic();
  const bots = r.bot.service.client(BotService);
  const { ownerUrl } = r.bot.service.database;
  const other = new pg.Client({ connectionString: ownerUrl });
  await other.connect();
  await other.query('begin');
  await other.query("insert into messaging.reminder_settings values ($1, true, '21:00', '07:00', now())", [id]);
  const changes = [{ isEnabled: false }, { quietFrom: '20:00' }, { quietUntil: '06:00' }].map((change) => bots.updateReminderSettings(change, admin));
  await waitForLocked(ownerUrl, changes.length);
  await other.query('rollback');
  await other.end();
  await Promise.all(changes);
  expect(await bots.getReminderSettings({}, admin)).toMatchObject({ isEnabled: false, quietFrom: '20:00', quietUntil: '06:00' });
});

test('concurrent changes of texts of the bot lock them in the same order', async () => {
  const { id, admin } = await r.bot.clinic();
  const bots = r.bot.service.client(BotService);
  const save = (text: string) => bots.updateBotTexts({ texts: ['not_understood', 'greeting'].map((key) => ({ key, language: 'es', text })) }, admin);
  await save('Bienvenida');
  const { ownerUrl } = r.bot.service.database;
  const other = new pg.Client({ connectionString: ownerUrl });
  await other.connect();
  await other.query('begin');
  const lock = (key: string) => other.query('select from messaging.bot_texts where clinic_id = $1 and key = $2 for update nowait', [id, key]);
  await lock('greeting');
  const saving = save('Hola');
  await waitForLocked(ownerUrl);
  await lock('not_understood').finally(() => other.end());
  expect((await saving).texts.filter(({ text }) => text === 'Hola')).toHaveLength(2);
});

test('the messages about an appointment are listed with their status, and the reason if one was not sent', async () => {
  const { clinic, booked } = await r.bookAppointment();
  const bots = r.bot.service.client(BotService);
  const listed = async () => (await bots.getAppointmentMessages({ id: booked.id }, clinic.user)).messages;
  await r.publish.booked(booked);
  expect(await listed()).toMatchObject([
    { kind: 'reminder_day', status: 'planned', dueAt: timestampFromDate(at('2026-06-02T10:00')) },
    { kind: 'reminder_hours', status: 'planned' },
  ]);
  r.bot.clock.set(at('2026-06-02T10:00'));
  await sendDueReminders(r.app);
  r.bot.scheduling.change(booked, { status: 'cancelled' });
  await r.publish.status(booked, 'confirmed');
  expect(await listed()).toMatchObject([
    { kind: 'reminder_day', status: 'none', reason: 'visit_over', detail: 'The appointment is over or was cancelled' }, // plain-words: visit is in a stored code
    { kind: 'reminder_hours', status: 'none', reason: 'visit_over' }, // plain-words: visit is in a stored code
    { kind: 'cancelled', status: 'queued' },
  ]);
  await r.bot.look("update outbound set state = 'dead', error_code = 'no_answer', error = 'x' where clinic_id = $1 and kind = 'appointment_notice'", [
    clinic.id,
  ]);
  expect((await listed()).at(-1)).toMatchObject({ kind: 'cancelled', status: 'uncertain', reason: 'no_answer', detail: 'x' });
  const other = await r.bot.clinic();
  for (const id of [booked.id, randomUUID(), 'x']) await expect(bots.getAppointmentMessages({ id }, other.user)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});
