// The briefing of a day: figures are counted, a model or rules write the summary, and a failing model never makes it fail.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { fail } from '@clinic/lib/errors/errors.ts';
import { asAdmin, asUser } from '@clinic/lib/testing/callers.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Assistant, agendaAppointment, agendaOf, FEATURES, luis, maria, NOW, rivas, startAssistant, startWithModel, TODAY } from '../testing/assistant.ts';

let s: Assistant;
beforeAll(async () => {
  s = await startAssistant();
});
beforeEach(() => s.reset());
afterAll(() => s?.stop());

const YESTERDAY = '2026-11-20';
const gap = (startTime: string, endTime: string) => ({ startTime: `${startTime}:00`, endTime: `${endTime}:00`, minutes: 60 });
const day: Record<string, object> = {
  [TODAY]: agendaOf(TODAY, [agendaAppointment(maria, '08:00', 'completed'), agendaAppointment(luis, '13:00', 'pending')], {
    cancelled: 1,
    gaps: [gap('09:00', '10:00'), gap('11:00', '12:00'), gap('14:00', '15:00')],
  }),
  [YESTERDAY]: agendaOf(YESTERDAY, [
    agendaAppointment(maria, '08:00', 'completed'),
    agendaAppointment(luis, '09:00', 'no_show'),
    agendaAppointment(luis, '10:00'),
  ]),
};
const plan = (patientId: string, owed: bigint, nextDueDate: string) => ({
  id: randomUUID(),
  patientId,
  totalAmount: owed + 1000n,
  amountPaid: 1000n,
  status: 'overdue',
  nextDueDate,
});
const fillDay = () => {
  s.answers.getAgenda = ({ date }) => day[date] ?? agendaOf(date, []);
  s.answers.listWaitlist = ({ status }) => ({
    entries:
      status === 'waiting'
        ? [
            { id: randomUUID(), patientId: maria.id, patients: maria, dateFrom: TODAY, dateTo: '2026-11-30', status },
            { id: randomUUID(), patientId: luis.id, patients: luis, dateFrom: '2026-12-01', dateTo: '2026-12-31', status },
          ]
        : [],
    total: status === 'waiting' ? 2 : 0,
  });
  const debts = [plan(maria.id, 5050n, '2026-10-01'), plan(luis.id, 2000n, '2026-09-01')];
  s.answers.listPaymentPlans = ({ status }) => ({ plans: status === 'overdue' ? debts : [], total: status === 'overdue' ? 2 : 0 });
  const [active, idle] = [randomUUID(), randomUUID()];
  s.answers.listRecallCampaigns = () => ({
    campaigns: [
      { id: active, name: 'Limpieza', isActive: true },
      { id: idle, name: 'Vieja', isActive: false },
    ],
  });
  s.answers.listRecallEligible = ({ id }) => ({ eligible: [], total: id === active ? 7 : 99 });
};

async function addChat(clinicId: string, phone: string, unread: number, humanUntil: string | null) {
  await s.look("insert into conversations (clinic_id, id, phone, status, unread_count, human_until, last_message_at) values ($1, $2, $3, 'open', $4, $5, $6)", [
    clinicId,
    randomUUID(),
    phone,
    unread,
    humanUntil,
    NOW,
  ]);
}

test('the figures of a day, and its summary by rules', async () => {
  fillDay();
  const clinic = randomUUID();
  await addChat(clinic, '+50370003333', 2, 'infinity');
  await addChat(clinic, '+50370004444', 3, null); // handled by the bot
  await addChat(clinic, '+50370005555', 0, 'infinity'); // read
  const briefing = await s.assistant.getBriefing({}, asUser(clinic));
  expect(briefing).toMatchObject({
    date: TODAY,
    source: 'rules',
    appointments: {
      total: 2,
      completed: 1,
      pending: 1,
      cancelled: 1,
      firstStart: '08:00:00',
      lastEnd: '13:30:00',
      byDoctor: [{ doctorId: rivas.id, visits: 2 }], // plain-words: visits is public
    },
    unconfirmed: [{ patientName: 'Luis Pérez', patientPhone: luis.phone, startTime: '13:00:00', doctorName: rivas.fullName }],
    // Today's gaps begin with the current quarter of an hour.
    gaps: [
      { startTime: '11:15:00', endTime: '12:00:00', minutes: 45 },
      { startTime: '14:00:00', endTime: '15:00:00', minutes: 60 },
    ],
    waitlist: { total: 2, suitsDay: 1, items: [{ patientName: maria.fullName, status: 'waiting' }] },
    conversationsWaiting: { total: 1, items: [{ phone: '+50370003333', unreadCount: 2 }] },
    // The longest overdue first.
    overduePayments: {
      total: 2,
      amount: 7050n,
      items: [
        { patientName: 'Luis Pérez', amount: 2000n },
        { patientName: maria.fullName, amount: 5050n },
      ],
    },
    recallsDue: { total: 7, items: [{ name: 'Limpieza', eligible: 7 }] },
    yesterday: { date: YESTERDAY, total: 3, completed: 1, noShow: 1, unmarked: 1 },
  });
  expect(briefing.alerts.map(({ code }) => code)).toEqual(['unmarked_visits', 'waitlist_fits']); // plain-words: visits is public
  expect(briefing.summary).toBe(
    'Hoy, sábado 21 de noviembre, hay 2 citas con 1 doctor (de 8:00 a. m. a 1:30 p. m.). Sin confirmar: 1. Del día: 1 ya atendida y 1 cancelada. ' +
      'Quedan 1 h y 45 min libres en 2 huecos. Hay 2 personas en lista de espera; este día le sirve a 1. 1 chat espera la respuesta de una persona. ' +
      'Hay 2 planes de pago vencidos por $70.50 en total. 7 pacientes deberían volver a control. ' +
      'El día anterior hubo 3 citas: 1 atendida, 1 ausencia y 1 sin marcar.',
  );
});

test('the last end may be after midnight, and amounts are in the currency of the clinic', async () => {
  fillDay();
  const late = { ...agendaAppointment(luis, '23:30'), endTime: '00:00:00' };
  s.answers.getAgenda = ({ date }) => agendaOf(date, date === TODAY ? [late, agendaAppointment(maria, '08:00')] : []);
  const usual = s.answers.resolveClinic;
  s.answers.resolveClinic = (request, call) => ({ ...(usual?.(request, call) as object), currency: 'GTQ' });
  const { appointments, summary } = await s.assistant.getBriefing({}, asUser(randomUUID()));
  expect(appointments).toMatchObject({ firstStart: '08:00:00', lastEnd: '00:00:00' });
  expect(summary).toMatch(/\(de 8:00 a\. m\. a 12:00 a\. m\.\).*por Q\s70\.50 en total/);
});

test('another day, and a date that does not exist', async () => {
  const briefing = await s.assistant.getBriefing({ date: '2026-11-25' }, asUser(randomUUID()));
  expect(briefing).toMatchObject({ date: '2026-11-25', appointments: { total: 0 }, yesterday: { date: '2026-11-24' } });
  expect(briefing.summary).toContain('El miércoles 25 de noviembre no hay citas.');
  await expect(s.assistant.getBriefing({ date: '2026-02-30' }, asUser(randomUUID()))).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
});

test('other services are called as the user of this clinic', async () => {
  const [clinic, user] = [randomUUID(), randomUUID()];
  const seen: object[] = [];
  s.answers.getAgenda = ({ date }, { caller }) => {
    seen.push({ kind: caller.kind, id: caller.id, role: caller.role, clinic: caller.clinic?.id });
    return agendaOf(date, []);
  };
  await s.assistant.getBriefing({}, asUser(clinic, { userId: user, role: 'doctor' }));
  expect(seen).toEqual(Array(2).fill({ kind: 'user', id: user, role: 'doctor', clinic }));
});

test.each([
  ['whose plan has no dental features', { features: FEATURES.filter((feature) => feature !== 'dental') }],
  ['of another type than dental', { clinicType: 'medical' }],
])('a clinic %s has neither payments nor recalls', async (_name, changed) => {
  fillDay();
  const usual = s.answers.resolveClinic;
  s.answers.resolveClinic = (request, call) => ({ ...(usual?.(request, call) as object), ...changed });
  s.answers.listPaymentPlans = () => fail('INTERNAL');
  const briefing = await s.assistant.getBriefing({}, asUser(randomUUID()));
  expect(briefing.overduePayments).toBeUndefined();
  expect(briefing.recallsDue).toBeUndefined();
  expect(briefing.alerts.map(({ code }) => code)).not.toContain('not_read');
});

test('if a service is unavailable, only its section is missing', async () => {
  fillDay();
  s.answers.listWaitlist = () => fail('UNAVAILABLE');
  s.answers.listRecallCampaigns = () => fail('UNAVAILABLE');
  const briefing = await s.assistant.getBriefing({}, asUser(randomUUID()));
  expect(briefing.waitlist).toBeUndefined();
  expect(briefing.recallsDue).toBeUndefined();
  expect(briefing.overduePayments?.total).toBe(2);
  expect(briefing.alerts.filter(({ code }) => code === 'not_read').map(({ message }) => message)).toEqual([
    'Por el momento no se pudo leer la lista de espera.',
    'Por el momento no se pudieron leer las citas de control.',
  ]);
});

test('the alerts', async () => {
  const clinic = randomUUID();
  const usual = s.answers.resolveClinic;
  const ends = timestampFromDate(new Date(NOW.getTime() + 36 * 3_600_000));
  let subscriptionRenews = false;
  s.answers.resolveClinic = (request, call) => ({ ...(usual?.(request, call) as object), subscriptionExpiresAt: ends, subscriptionRenews });
  s.answers.getAgenda = ({ date }) => agendaOf(date, date === TODAY ? [agendaAppointment(maria, '08:00')] : [], { onVacation: true });
  await s.look("insert into channels (clinic_id, status, detail) values ($1, 'failed', '')", [clinic]);
  const { alerts } = await s.assistant.getBriefing({}, asUser(clinic));
  expect(alerts).toMatchObject([
    { code: 'visits_on_vacation', message: '1 cita es con un doctor que está de vacaciones.', href: `/api/agenda?date=${TODAY}` }, // plain-words: visits is public
    { code: 'channel_failed', href: '/api/chat/status' },
    { code: 'subscription_ends', message: 'La suscripción vence en 2 días.' },
  ]);
  subscriptionRenews = true;
  expect((await s.assistant.getBriefing({}, asUser(clinic))).alerts.map(({ code }) => code)).toEqual(['visits_on_vacation', 'channel_failed']);
});

test('names are not sent to the model until an admin allows it', async () => {
  const clinic = randomUUID();
  expect(await s.assistant.getAssistantSettings({}, asUser(clinic))).toMatchObject({
    source: 'rules',
    sendNames: false,
    tokensToday: 0,
    tokensPerDay: 300_000,
  });
  await expect(s.assistant.updateAssistantSettings({ sendNames: true }, asUser(clinic))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  expect(await s.assistant.updateAssistantSettings({ sendNames: true }, asAdmin(clinic))).toMatchObject({ sendNames: true });
  expect(await s.assistant.updateAssistantSettings({}, asAdmin(clinic))).toMatchObject({ sendNames: true });
  expect(await s.assistant.getAssistantSettings({}, asUser(randomUUID()))).toMatchObject({ sendNames: false });
  const [line] = await s.look("select action, changes from audit_log where clinic_id = $1 and entity = 'assistant_settings' order by id", [clinic]);
  expect(line).toEqual({ action: 'assistant_settings.updated', changes: { send_names: { from: false, to: true } } });
});

describe('with a model', () => {
  let m: Awaited<ReturnType<typeof startWithModel>>;
  beforeAll(async () => {
    m = await startWithModel();
  });
  beforeEach(() => {
    m.reset();
    m.model.reset();
    m.answers.getAgenda = ({ date }) => day[date] ?? agendaOf(date, []);
  });
  afterAll(() => m?.stop());

  test('the model writes the summary, once for the same figures, and receives no names', async () => {
    const clinic = randomUUID();
    m.model.next({ text: ['Hoy hay 2 ', 'citas; la primera a las 8:00.'], tokens: 321 });
    const briefing = await m.assistant.getBriefing({}, asUser(clinic));
    expect(briefing).toMatchObject({ summary: 'Hoy hay 2 citas; la primera a las 8:00.', source: 'model' });
    expect(await m.assistant.getBriefing({}, asUser(clinic))).toMatchObject({ summary: briefing.summary, source: 'model' });
    expect(m.model.calls).toHaveLength(1);
    expect(m.model.calls[0]).toMatchObject({ path: '/v1/chat/completions', authorization: 'Bearer key-of-the-tests', body: { model: 'test', stream: true } });
    expect(m.model.calls[0]?.text).not.toMatch(/María|López|Luis|Pérez|Rivas|\+503/);
    expect(await m.assistant.getAssistantSettings({}, asUser(clinic))).toMatchObject({ source: 'model', tokensToday: 321 });
    expect(await m.look('select action, entity_id from audit_log where clinic_id = $1', [clinic])).toEqual([
      { action: 'assistant_briefing.summarised', entity_id: TODAY },
    ]);
  });

  test('a summary with a figure that the day does not have is refused', async () => {
    m.model.next({ text: 'Hoy hay 14 citas.' });
    expect(await m.assistant.getBriefing({}, asUser(randomUUID()))).toMatchObject({ source: 'rules', summary: expect.stringContaining('hay 2 citas') });
  });

  test.each(['silent', 'stalls', 'broken', 'cut', 'endless', 'empty', 'refuses', 'overloaded', 'html'] as const)(
    'when the model is %s, rules write the summary',
    async (mood) => {
      m.model.next(mood);
      expect(await m.assistant.getBriefing({}, asUser(randomUUID()))).toMatchObject({ source: 'rules', summary: expect.stringContaining('hay 2 citas') });
    },
  );
});
