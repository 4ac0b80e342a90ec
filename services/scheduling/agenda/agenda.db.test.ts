// The agenda of a day, and the daily mail at 07:00 local time.
import { randomUUID } from 'node:crypto';
import { asService } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import type { App } from '../app.ts';
import { everyDay, MONDAY, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';
import { mailStandIns } from '../testing/mail-stand-ins.ts';
import { markAgendas } from './mail-agendas.ts';

const { mails, users, clinics, ...standIns } = mailStandIns();
let s: Scheduling;
let owner: pg.Client;
beforeAll(async () => {
  s = await startScheduling(standIns);
  owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
});
beforeEach(() => s.clock.set(MONDAY));
afterAll(async () => {
  await owner.end();
  await s.service.stop();
});

const agenda = () => s.service.client(AgendaService);
const mark = () => markAgendas({ db: s.service.db, clock: s.clock } as unknown as App);

test('a day by doctor: appointments, gaps within hours, and counts', async () => {
  const { id, doctor } = await s.clinic();
  await s.doctors.updateDoctor(
    { id: doctor.id, bufferTimeMinutes: 10, breaks: { ranges: everyDay('10:00', '10:15') }, workingHours: { ranges: everyDay('08:00', '12:00') } },
    s.asAdmin(id),
  );
  const book = (startTime: string) =>
    s.appointments.bookAppointment({ ...s.booking(doctor.id, startTime), outsideHours: true, notes: 'Control' }, s.asUser(id));
  const [first, cancelled, missed] = [await book('08:30'), await book('09:20'), await book('11:00')];
  await s.appointments.updateAppointmentStatus({ id: cancelled.id, status: 'cancelled' }, s.asUser(id));
  await s.appointments.updateAppointmentStatus({ id: missed.id, status: 'no_show' }, s.asUser(id));
  const day = await agenda().getAgenda({ date: TUESDAY }, s.asUser(id));
  expect(day.doctors).toMatchObject([
    {
      doctorId: doctor.id,
      onVacation: false,
      hours: [
        { startTime: '08:00:00', endTime: '10:00:00', minutes: 120 },
        { startTime: '10:15:00', endTime: '12:00:00', minutes: 105 },
      ],
      // plain-words: visits is public JSON
      visits: [
        { id: first.id, startTime: '08:30:00', endTime: '09:00:00', status: 'confirmed', notes: 'Control', patients: { fullName: 'Luis Pérez' } },
        { id: missed.id, status: 'no_show' },
      ],
      gaps: [
        { startTime: '08:00:00', endTime: '08:30:00', minutes: 30 },
        { startTime: '09:10:00', endTime: '10:00:00', minutes: 50 },
        { startTime: '10:15:00', endTime: '12:00:00', minutes: 105 },
      ],
    },
  ]);
  expect(day.totals).toMatchObject({ visits: 2, confirmed: 1, noShow: 1, cancelled: 1, checkedIn: 0, gapMinutes: 185 }); // plain-words: visits is public JSON
  expect((await agenda().getAgenda({}, s.asUser(id))).date).toBe('2026-06-01');
});

test('an appointment that extends beyond midnight leaves no gap on the next day, where it is not listed', async () => {
  const { id, doctor } = await s.clinic();
  await s.doctors.updateDoctor({ id: doctor.id, bufferTimeMinutes: 15, workingHours: { ranges: everyDay('00:00', '24:00') } }, s.asAdmin(id));
  await s.appointments.bookAppointment({ ...s.booking(doctor.id, '23:30'), outsideHours: true }, s.asUser(id));
  const show = async (date: string) => (await agenda().getAgenda({ date }, s.asUser(id))).doctors;
  // plain-words: visits is public JSON
  expect(await show(TUESDAY)).toMatchObject([{ visits: [{ startTime: '23:30:00', endTime: '00:00:00' }], gaps: [{ endTime: '23:30:00' }] }]);
  // plain-words: visits is public JSON
  expect(await show('2026-06-03')).toMatchObject([{ visits: [], gaps: [{ startTime: '00:15:00', endTime: '24:00:00' }], totals: { visits: 0, confirmed: 0 } }]);
});

test('a vacation has no gaps; an inactive doctor is shown on days with appointments; a doctor of another clinic is not found', async () => {
  const [mine, other] = [await s.clinic(), await s.clinic()];
  await s.appointments.bookAppointment(s.booking(mine.doctor.id, '09:00'), s.asUser(mine.id));
  await s.doctors.createVacation({ doctorId: mine.doctor.id, startDate: TUESDAY, endDate: TUESDAY }, s.asAdmin(mine.id));
  const show = (date: string, doctorId?: string) => agenda().getAgenda({ date, ...(doctorId && { doctorId }) }, s.asUser(mine.id));
  expect((await show(TUESDAY)).doctors).toMatchObject([{ onVacation: true, hours: [], gaps: [], totals: { visits: 1 } }]); // plain-words: visits is public JSON
  await s.doctors.deactivateDoctor({ id: mine.doctor.id }, s.asAdmin(mine.id));
  expect((await show(TUESDAY)).doctors).toHaveLength(1);
  expect((await show('2026-06-03')).doctors).toEqual([]);
  for (const doctorId of [other.doctor.id, randomUUID()]) await expect(show(TUESDAY, doctorId)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

/** A clinic in a zone, with a subscribed user. */
async function subscribed(timezone: string, known: Partial<(typeof users)[number]> = {}) {
  const { id, doctor } = await s.clinic();
  const userId = randomUUID();
  await owner.query('insert into scheduling.clinics (clinic_id, timezone, revision) values ($1, $2, 1)', [id, timezone]);
  users.push({ id: userId, clinicId: id, email: `${userId}@example.com`, fullName: 'Ana Morales', isActive: true, ...known });
  const as = s.asUser(id, { userId });
  expect(await agenda().setAgendaSubscription({ enabled: true }, as)).toMatchObject({ enabled: true });
  return { id, doctor, userId, as };
}
const mailsTo = (userId: string) => mails.filter(({ to }) => to === `${userId}@example.com`);
const marked = async (userId: string) =>
  (await owner.query('select date::text from scheduling.agenda_mails where user_id = $1 order by date', [userId])).rows.map(({ date }) => date);

test('the mail is sent from 07:00, once a day, with the agenda of the day', async () => {
  const { id, doctor, userId } = await subscribed('America/El_Salvador');
  await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  s.clock.set(new Date('2026-06-02T12:59:59Z'));
  await mark();
  expect(await marked(userId)).toEqual([]);
  s.clock.set(new Date('2026-06-02T13:00:00Z'));
  await Promise.all([mark(), mark(), mark()]);
  await waitFor(() => mailsTo(userId).length > 0);
  s.clock.set(new Date('2026-06-02T13:05:00Z'));
  await mark();
  expect(await marked(userId)).toEqual([TUESDAY]);
  expect(mailsTo(userId)).toMatchObject([
    { kind: 'agenda', reference: `${userId}:${TUESDAY}`, parameters: { name: 'Ana Morales', date: 'martes 2 de junio' } },
  ]);
  expect(mailsTo(userId)[0]?.parameters.text).toBe('Dra. Ana Rivas\n  09:00–09:30  Luis Pérez\n  Libre: 08:00–09:00, 09:30–12:00');
  s.clock.set(new Date('2026-06-03T13:01:00Z'));
  await mark();
  expect(await marked(userId)).toEqual([TUESDAY, '2026-06-03']);
});

test('the mail is due from 07:00 to 12:00 local time, also on days on which the clocks change', async () => {
  s.clock.set(new Date('2026-03-01T00:00:00Z'));
  const { userId } = await subscribed('America/New_York');
  for (const [at, latest] of [
    ['2026-03-07T11:59:00Z', undefined],
    ['2026-03-07T12:00:00Z', '2026-03-07'],
    ['2026-03-08T10:59:00Z', '2026-03-07'],
    ['2026-03-08T11:00:00Z', '2026-03-08'],
    ['2026-11-01T11:59:00Z', undefined], // what was long ago is forgotten
    ['2026-11-01T12:00:00Z', '2026-11-01'],
    ['2026-11-02T17:00:00Z', '2026-11-01'],
  ]) {
    s.clock.set(new Date(at ?? ''));
    await mark();
    expect([at, (await marked(userId)).at(-1)]).toEqual([at, latest]);
  }
});

test('no mail after unsubscribing, deactivation or loss of the feature; a subscription after 07:00 starts on the next day', async () => {
  const gone = await subscribed('America/El_Salvador', { isActive: false });
  const closed = await subscribed('America/El_Salvador');
  clinics.set(closed.id, { features: [] });
  const back = await subscribed('America/El_Salvador');
  expect(await agenda().setAgendaSubscription({ enabled: false }, back.as)).toMatchObject({ enabled: false });
  expect(await agenda().getAgendaSubscription({}, back.as)).toMatchObject({ enabled: false });
  expect(await agenda().getAgendaSubscription({}, gone.as)).toMatchObject({ enabled: true });
  s.clock.set(new Date('2026-06-02T14:00:00Z'));
  const late = await subscribed('America/El_Salvador');
  await mark();
  const control = await subscribedBefore();
  await mark();
  await waitFor(() => mailsTo(control).length > 0);
  expect([gone, closed, back, late].flatMap(({ userId }) => mailsTo(userId))).toEqual([]);
  expect(await marked(late.userId)).toEqual([]);

  /** Queued after the others, so that its mail proves that they were processed. */
  async function subscribedBefore() {
    s.clock.set(MONDAY);
    const { userId } = await subscribed('America/El_Salvador');
    s.clock.set(new Date('2026-06-02T14:00:00Z'));
    return userId;
  }
});

test('no mail on a day with neither hours nor appointments', async () => {
  const closed = await subscribed('America/El_Salvador');
  await s.doctors.updateDoctor({ id: closed.doctor.id, workingHours: { ranges: [] } }, s.asAdmin(closed.id));
  const visited = await subscribed('America/El_Salvador');
  await s.doctors.updateDoctor({ id: visited.doctor.id, workingHours: { ranges: [] } }, s.asAdmin(visited.id));
  await s.appointments.bookAppointment({ ...s.booking(visited.doctor.id, '09:00'), outsideHours: true }, s.asUser(visited.id));
  s.clock.set(new Date('2026-06-02T14:00:00Z'));
  const all = () => Promise.all([closed, visited].map(({ userId }) => marked(userId)));
  await mark();
  expect(await all()).toEqual([[TUESDAY], [TUESDAY]]);
  const finished = `select count(*)::int as n from scheduling_jobs.job where name = 'mail-agenda' and state = 'completed' and data->>'userId' = any($1)`;
  await waitFor(async () => (await owner.query(finished, [[closed.userId, visited.userId]])).rows[0].n === 2);
  expect([mailsTo(closed.userId).length, mailsTo(visited.userId).length]).toEqual([0, 1]);
});

test('a service cannot subscribe', async () => {
  await expect(agenda().setAgendaSubscription({ enabled: true }, asService('messaging', randomUUID()))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
});
