// Calendar feeds, read by a third-party parser, and their tokens.

import { localTransport } from '@clinic/lib/rpc/local.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asAnonymous, asKey } from '@clinic/lib/testing/callers.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { CalendarService } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import ICAL from 'ical.js';
import pg from 'pg';
import { everyDay, MONDAY, type Scheduling, startScheduling } from '../testing/clinic.ts';

/** Clinics without the feature. */
const without = new Set<string>();
const readOnly = new Set<string>();
const identity = localTransport([
  implement({ log: createLog('test', 'silent'), constraints: {} }, AccessService, {
    ...Object.fromEntries(AccessService.methods.map(({ localName }) => [localName, async () => ({})])),
    resolveClinic: async (_app: unknown, { clinicId }: { clinicId: string }) => ({
      isActive: true,
      readOnly: readOnly.has(clinicId),
      features: without.has(clinicId) ? [] : ['calendar_feeds'],
    }),
  } as never),
]);

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling({ identity });
});
beforeEach(() => s.clock.set(MONDAY));
afterAll(() => s.service.stop());

const calendar = () => s.service.client(CalendarService);
const tokenOf = (url: string) => /([0-9a-f]{64})\.ics$/.exec(url)?.[1] ?? '';
const read = async (feedUrl: string) => calendar().getCalendarFeed({ token: tokenOf(feedUrl) }, asAnonymous());
const parse = (content: Uint8Array) =>
  new ICAL.Component(ICAL.parse(Buffer.from(content).toString())).getAllSubcomponents('vevent').map((event) => new ICAL.Event(event));

describe('the feed', () => {
  test('contains confirmed and pending appointments from 7 days ago to 90 days ahead, with first names and UTC times', async () => {
    const { id, doctor } = await s.clinic();
    const { feedUrl } = await calendar().getFeedUrls({ doctorId: doctor.id }, s.asUser(id));
    const names = ['María José Ñuñez', 'Ana; la "de, allá"\\ ', 'Zo\r\nBEGIN:VALARM é', '😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀 Pérez'];
    for (const [index, patientName] of names.entries()) {
      await s.appointments.bookAppointment({ ...s.booking(doctor.id, '08:00', `2026-06-0${index + 2}`), patientName }, s.asUser(id));
    }
    const gone = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
    await s.appointments.updateAppointmentStatus({ id: gone.id, status: 'cancelled' }, s.asUser(id));
    await s.appointments.bookAppointment(s.booking(doctor.id, '08:00', '2026-08-30'), s.asUser(id));
    await s.appointments.bookAppointment(s.booking(doctor.id, '08:00', '2026-08-31'), s.asUser(id));
    const { content, contentType } = await read(feedUrl);
    expect(contentType).toBe('text/calendar; charset=utf-8');
    const events = parse(content);
    expect(events.map((event) => event.summary)).toEqual(['María', 'Ana;', 'Zo', '😀'.repeat(26), 'Luis']);
    expect(events[0]?.startDate.toJSDate().toISOString()).toBe('2026-06-02T14:00:00.000Z');
    expect(events[0]?.endDate.toJSDate().toISOString()).toBe('2026-06-02T14:30:00.000Z');
    const text = Buffer.from(content).toString();
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(text).not.toMatch(/Ñuñez|Pérez|\+503|VALARM/);
  });

  test('has a stable id and a sequence for each appointment; unchanged appointments give the same bytes', async () => {
    const { id, doctor } = await s.clinic();
    const { feedUrl } = await calendar().getFeedUrls({ doctorId: doctor.id }, s.asUser(id));
    const appointment = await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
    const first = await read(feedUrl);
    s.clock.advance(60_000);
    const again = await read(feedUrl);
    expect([Buffer.from(again.content).toString(), again.etag]).toEqual([Buffer.from(first.content).toString(), first.etag]);
    await s.appointments.rescheduleAppointment({ id: appointment.id, appointmentDate: '2026-06-05', startTime: '10:00' }, s.asUser(id));
    const moved = await read(feedUrl);
    expect(moved.etag).not.toBe(first.etag);
    const [before, after] = [parse(first.content)[0], parse(moved.content)[0]];
    expect([after?.uid, after?.sequence]).toEqual([before?.uid, (before?.sequence ?? 0) + 1]);
    expect(Number(moved.lastModified?.seconds)).toBeGreaterThanOrEqual(Number(first.lastModified?.seconds));
  });

  test('was modified at the last change, also when that was a cancellation, a move to another doctor, a new name of a patient or a new day', async () => {
    s.clock.set(new Date('2040-06-04T14:00:00Z')); // later than the database's clock, which stamps new doctors and patients
    const [date, otherDate] = ['2040-06-05', '2040-06-06'];
    const { id, doctor } = await s.clinic();
    const other = await s.doctors.createDoctor({ fullName: 'Dr. Beto Cruz', workingHours: everyDay('08:00', '12:00') }, s.asAdmin(id));
    const { feedUrl } = await calendar().getFeedUrls({ doctorId: doctor.id }, s.asUser(id));
    const book = (time: string) => s.appointments.bookAppointment(s.booking(doctor.id, time, date), s.asUser(id));
    const [{ id: cancelled }, { id: moved }] = [await book('09:00'), await book('10:00')];
    const { patientId } = await book('08:00');
    const modified = async () => Number((await read(feedUrl)).lastModified?.seconds);
    let before = await modified();
    for (const change of [
      () => s.appointments.updateAppointmentStatus({ id: cancelled, status: 'cancelled' }, s.asUser(id)),
      () => s.appointments.rescheduleAppointment({ id: moved, doctorId: other.id, appointmentDate: otherDate, startTime: '10:00' }, s.asUser(id)),
      () => s.patients.updatePatient({ id: patientId, fullName: 'Zoë Díaz' }, s.asUser(id)),
      async () => s.clock.advance(24 * 3_600_000),
    ]) {
      s.clock.advance(60_000);
      await change();
      const after = await modified();
      expect(after).toBeGreaterThan(before);
      before = after;
    }
  });

  test('of 500 appointments is returned within 50 ms', async () => {
    const { id, doctor } = await s.clinic();
    await s.doctors.updateDoctor({ id: doctor.id, consultationDurationMinutes: 5, workingHours: { ranges: everyDay('06:00', '22:00') } }, s.asAdmin(id));
    const owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
    await owner.connect();
    const { rows } = await owner.query(
      "insert into scheduling.patients (clinic_id, id, full_name, search_name, phone) values ($1, gen_random_uuid(), 'P', ' p', '+50370000000') returning id",
      [id],
    );
    await owner.query(
      `insert into scheduling.appointments (clinic_id, id, doctor_id, patient_id, appointment_date, start_time, end_time, starts_at, busy, status, source, idempotency_key)
       select $1, gen_random_uuid(), $2, $3, date '2026-06-03' + n / 10, time '08:00' + n % 10 * interval '30 min', time '08:30' + n % 10 * interval '30 min',
         at, tstzrange(at, at + interval '30 min'), 'confirmed', 'manual', n::text
       from generate_series(0, 499) n, lateral (select (date '2026-06-03' + n / 10 + time '14:00') at time zone 'UTC' + n % 10 * interval '30 min' as at) t`,
      [id, doctor.id, rows[0].id],
    );
    await owner.end();
    const { feedUrl } = await calendar().getFeedUrls({ doctorId: doctor.id }, s.asUser(id));
    const times = [];
    for (let round = 0; round < 7; round += 1) {
      const started = performance.now();
      expect(parse((await read(feedUrl)).content).length).toBe(500);
      times.push(performance.now() - started);
    }
    // Includes the parser, and a margin for a busy machine. The measurement is in docs/scaling.md.
    expect(Math.min(...times)).toBeLessThan(500);
  });
});

test('the name of the calendar is escaped', async () => {
  const { id, doctor } = await s.clinic();
  await s.doctors.updateDoctor({ id: doctor.id, fullName: 'Dra. Ana Rivas, DDS; 1\\2' }, s.asAdmin(id));
  const { feedUrl } = await calendar().getFeedUrls({ doctorId: doctor.id }, s.asUser(id));
  const text = Buffer.from((await read(feedUrl)).content).toString();
  expect(text).toContain('\r\nNAME:Dra. Ana Rivas\\, DDS\\; 1\\\\2\r\nX-WR-CALNAME:Dra. Ana Rivas\\, DDS\\; 1\\\\2\r\n');
});

describe('the token', () => {
  test('is created once, also by concurrent first requests, and stored encrypted', async () => {
    const { id, doctor } = await s.clinic();
    const made = await Promise.all(Array.from({ length: 8 }, () => calendar().getFeedUrls({ doctorId: doctor.id }, s.asUser(id))));
    expect(new Set(made.map((one) => one.feedUrl)).size).toBe(1);
    const token = tokenOf(made[0]?.feedUrl ?? '');
    expect(made[0]).toMatchObject({
      doctorName: 'Dra. Ana Rivas',
      openUrl: `http://localhost:8080/api/calendar/open/${token}`,
      webcalUrl: `webcal://localhost:8080/api/calendar/feed/${token}.ics`,
    });
    const owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
    await owner.connect();
    const { rows } = await owner.query('select d::text as text from scheduling.doctors d where clinic_id = $1', [id]);
    await owner.end();
    expect(rows[0].text).not.toContain(token);
  });

  test('is not created while the clinic is read-only, but shown if it exists', async () => {
    const { id, doctor } = await s.clinic();
    const second = await s.doctors.createDoctor({ fullName: 'Dr. Paz' }, s.asAdmin(id));
    const urls = await calendar().getFeedUrls({ doctorId: doctor.id }, s.asUser(id));
    readOnly.add(id);
    expect(await calendar().getFeedUrls({ doctorId: doctor.id }, s.asUser(id))).toEqual(urls);
    await expect(calendar().getFeedUrls({ doctorId: second.id }, s.asUser(id))).rejects.toMatchObject({ reason: 'READ_ONLY' });
    readOnly.delete(id);
    expect((await s.doctors.getDoctor({ id: second.id }, s.asUser(id))).calendarFeedToken).toBeUndefined();
    await calendar().getFeedUrls({ doctorId: second.id }, s.asUser(id));
  });

  test('is replaced by regeneration and deleted with the deactivation of the doctor', async () => {
    const { id, doctor } = await s.clinic();
    const old = await calendar().getFeedUrls({ doctorId: doctor.id }, s.asUser(id));
    await expect(calendar().regenerateFeedUrls({ doctorId: doctor.id }, s.asUser(id))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    const renewed = await calendar().regenerateFeedUrls({ doctorId: doctor.id }, s.asAdmin(id));
    await expect(read(old.feedUrl)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await read(renewed.feedUrl);
    await s.doctors.deactivateDoctor({ id: doctor.id }, s.asAdmin(id));
    await expect(read(renewed.feedUrl)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(calendar().getFeedUrls({ doctorId: doctor.id }, s.asUser(id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  test('is shown with the doctor until a deactivation of any kind, and never in the audit log', async () => {
    const { id, doctor } = await s.clinic();
    const shown = async () => (await s.doctors.getDoctor({ id: doctor.id }, s.asUser(id))).calendarFeedToken;
    expect(await shown()).toBeUndefined();
    const { feedUrl } = await calendar().getFeedUrls({ doctorId: doctor.id }, s.asUser(id));
    const token = await shown();
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(feedUrl).toContain(token);
    expect((await s.doctors.listDoctors({}, s.asUser(id))).doctors[0]?.calendarFeedToken).toBe(token);
    const toKey = [(await s.doctors.listDoctors({}, asKey(id))).doctors[0], await s.doctors.getDoctor({ id: doctor.id }, asKey(id))];
    expect(toKey.map((one) => [one?.id, one?.calendarFeedToken])).toEqual(Array(2).fill([doctor.id, undefined]));
    expect((await s.doctors.updateDoctor({ id: doctor.id, isActive: false }, s.asAdmin(id))).calendarFeedToken).toBeUndefined();
    await s.doctors.updateDoctor({ id: doctor.id, isActive: true }, s.asAdmin(id));
    expect(await shown()).toBeUndefined();
    await expect(read(feedUrl)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    const owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
    await owner.connect();
    const { rows } = await owner.query(`select changes from scheduling.audit_log where clinic_id = $1 and action = 'doctor.updated' order by at`, [id]);
    await owner.end();
    expect(rows[0].changes.feed_token_sealed).toEqual({ from: '***', to: null });
  });

  test('redirects to webcal on devices of Apple and to a dialog on others', async () => {
    const { id, doctor } = await s.clinic();
    const { feedUrl, webcalUrl } = await calendar().getFeedUrls({ doctorId: doctor.id }, s.asUser(id));
    const open = async (userAgent: string) => (await calendar().openCalendar({ token: tokenOf(feedUrl), userAgent }, asAnonymous())).location;
    // An iPad sends the user agent of a Mac unless it requests mobile pages.
    const apple = ['(iPhone; CPU iPhone OS 26_0 like Mac OS X)', '(iPad; CPU OS 26_0 like Mac OS X)', '(Macintosh; Intel Mac OS X 10_15_7)'];
    for (const device of apple) expect(await open(`Mozilla/5.0 ${device}`)).toBe(webcalUrl);
    const dialog = `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcalUrl)}`;
    for (const device of ['(Linux; Android 17)', '(Windows NT 10.0; Win64; x64)']) expect(await open(`Mozilla/5.0 ${device}`)).toBe(dialog);
    expect(await open('')).toBe(dialog);
    await expect(calendar().openCalendar({ token: 'f'.repeat(64) }, asAnonymous())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  test('does not work while the feature is off, and works again afterwards', async () => {
    const { id, doctor } = await s.clinic();
    const { feedUrl } = await calendar().getFeedUrls({ doctorId: doctor.id }, s.asUser(id));
    without.add(id);
    await expect(read(feedUrl)).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Calendar not found' });
    await expect(calendar().openCalendar({ token: tokenOf(feedUrl) }, asAnonymous())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    without.delete(id);
    await read(feedUrl);
  });

  test('of a doctor of another clinic is not found', async () => {
    const [mine, other] = [await s.clinic(), await s.clinic()];
    await expect(calendar().getFeedUrls({ doctorId: other.doctor.id }, s.asUser(mine.id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(calendar().regenerateFeedUrls({ doctorId: other.doctor.id }, s.asAdmin(mine.id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });
});
