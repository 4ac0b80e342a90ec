// Statistics, with events that repeat and arrive out of order.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ClinicRegisteredSchema, ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { AppointmentBookedSchema, AppointmentRescheduledSchema, AppointmentStatusChangedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { NOW, type Platform, startPlatform } from '../testing/platform.ts';
import { onAppointmentBooked, onAppointmentRescheduled, onAppointmentStatusChanged, onClinicRegistered, onClinicUpdated } from './consumers.ts';

let p: Platform;
beforeEach(async () => {
  p = await startPlatform();
});
afterEach(() => p.stop());

const DAY_MS = 24 * 3_600_000;
const inDays = (days: number) => timestampFromDate(new Date(NOW.getTime() + days * DAY_MS));
const SAN_SALVADOR = 'America/El_Salvador';

const register = (clinicId: string, changed: object = {}) =>
  p.deliver(onClinicRegistered, ClinicRegisteredSchema, clinicId, {
    inviteCodeId: randomUUID(),
    plan: 'trial',
    subscriptionExpiresAt: inDays(7),
    timezone: SAN_SALVADOR,
    registeredAt: inDays(0),
    ...changed,
  });
const update = (clinicId: string, revision: number, changed: object = {}) =>
  p.deliver(onClinicUpdated, ClinicUpdatedSchema, clinicId, {
    plan: 'pro',
    subscriptionExpiresAt: inDays(30),
    isActive: true,
    timezone: SAN_SALVADOR,
    revision,
    ...changed,
  });

const state = (appointmentId: string, changed: object = {}) => ({
  appointmentId,
  doctorId: randomUUID(),
  patientId: randomUUID(),
  appointmentDate: '2026-06-01',
  status: 'confirmed',
  source: 'manual',
  timezone: SAN_SALVADOR,
  revision: 1,
  ...changed,
});
const book = (clinicId: string, id: string, changed: object = {}) =>
  p.deliver(onAppointmentBooked, AppointmentBookedSchema, clinicId, { appointment: state(id, changed) });
const changeStatus = (clinicId: string, id: string, status: string, revision: number) =>
  p.deliver(onAppointmentStatusChanged, AppointmentStatusChangedSchema, clinicId, {
    appointment: state(id, { status, revision }),
    previousStatus: 'confirmed',
  });
const reschedule = (clinicId: string, id: string, appointmentDate: string, revision: number) =>
  p.deliver(onAppointmentRescheduled, AppointmentRescheduledSchema, clinicId, { appointment: state(id, { appointmentDate, revision }) });

test('all figures are zero before any event', async () => {
  expect(await p.stats()).toMatchObject({
    totalClinics: 0,
    activeClinics: 0,
    pendingDemos: 0,
    apptToday: 0,
    revenueThisMonth: 0n,
    totalOrders: 0,
    recentSignups: 0,
    planDistribution: { trial: 0, basic: 0, pro: 0, clinica: 0, forever_free: 0 },
  });
});

describe('clinics', () => {
  test('are counted by plan, state and date of registration', async () => {
    await register(randomUUID());
    await register(randomUUID(), { plan: 'forever_free', subscriptionExpiresAt: undefined, registeredAt: inDays(-7) });
    await register(randomUUID(), { plan: 'basic', subscriptionExpiresAt: inDays(-1), registeredAt: inDays(-8) });
    const suspended = randomUUID();
    await register(suspended, { registeredAt: inDays(-9) });
    await update(suspended, 2, { isActive: false });
    expect(await p.stats()).toMatchObject({
      totalClinics: 4,
      activeClinics: 2,
      recentSignups: 2,
      planDistribution: { trial: 1, basic: 1, pro: 1, clinica: 0, forever_free: 1 },
    });
  });

  test('have the same figures in every order of events, repeated or not', async () => {
    const events = [
      (id: string) => register(id),
      (id: string) => update(id, 2, { plan: 'basic' }),
      (id: string) => update(id, 3, { plan: 'clinica', isActive: false }),
    ] as const;
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
      [2, 0, 1],
      [0, 0, 2, 1, 2, 0],
    ]) {
      const id = randomUUID();
      for (const index of order) await events[index]?.(id);
    }
    expect(await p.stats()).toMatchObject({
      totalClinics: 5,
      activeClinics: 0,
      recentSignups: 5,
      planDistribution: { trial: 0, basic: 0, pro: 0, clinica: 5, forever_free: 0 },
    });
  });

  test('mark their invite code as used, even if the code was released or is reserved by another clinic', async () => {
    const { id, code } = await p.createCode();
    await p.reserve(code);
    const clinicId = randomUUID();
    await register(clinicId, { inviteCodeId: id });
    await register(clinicId, { inviteCodeId: id });
    expect(await p.find(id)).toMatchObject({ isUsed: true, usedByClinicId: clinicId, usedAt: inDays(0) });
  });
});

describe('appointments today', () => {
  test('count those of today that are not cancelled', async () => {
    const clinicId = randomUUID();
    await register(clinicId);
    const [confirmed, cancelled, back] = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of [confirmed, cancelled, back]) await book(clinicId, id);
    await book(clinicId, randomUUID(), { appointmentDate: '2026-06-02' });
    await book(clinicId, randomUUID(), { appointmentDate: '2026-05-31' });
    await changeStatus(clinicId, confirmed, 'completed', 2);
    await changeStatus(clinicId, cancelled, 'cancelled', 2);
    await changeStatus(clinicId, back, 'cancelled', 2);
    await changeStatus(clinicId, back, 'confirmed', 3);
    expect((await p.stats()).apptToday).toBe(2);
  });

  test('have the same figures in every order of events, repeated or not', async () => {
    const clinicId = randomUUID();
    const events = [
      (id: string) => book(clinicId, id),
      (id: string) => changeStatus(clinicId, id, 'cancelled', 2),
      (id: string) => changeStatus(clinicId, id, 'confirmed', 3),
    ] as const;
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1, 1, 0],
    ]) {
      const id = randomUUID();
      for (const index of order) await events[index]?.(id);
    }
    const gone = randomUUID();
    for (const index of [1, 0, 1, 0]) await events[index]?.(gone);
    expect((await p.stats()).apptToday).toBe(5);
  });

  test('count an appointment on the day that it was moved to', async () => {
    const clinicId = randomUUID();
    const [moved, here] = [randomUUID(), randomUUID()];
    await book(clinicId, moved);
    await book(clinicId, here, { appointmentDate: '2026-06-02' });
    expect((await p.stats()).apptToday).toBe(1);
    await reschedule(clinicId, moved, '2026-06-02', 2);
    expect((await p.stats()).apptToday).toBe(0);
    await reschedule(clinicId, here, '2026-06-01', 2);
    expect((await p.stats()).apptToday).toBe(1);
  });

  test('follow moves in every order of events, repeated or not', async () => {
    const clinicId = randomUUID();
    const events = [
      (id: string) => book(clinicId, id, { appointmentDate: '2026-06-02' }),
      (id: string) => reschedule(clinicId, id, '2026-06-03', 2),
      (id: string) => reschedule(clinicId, id, '2026-06-01', 3),
      (id: string) => changeStatus(clinicId, id, 'completed', 4),
    ] as const;
    const orders = [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [2, 0, 1, 2],
      [1, 3, 0, 2, 1],
    ];
    for (const order of orders) {
      const id = randomUUID();
      for (const index of order) await events[index]?.(id);
    }
    expect((await p.stats()).apptToday).toBe(orders.length);
  });

  test('use the date in the time zone of each clinic', async () => {
    // 03:00 UTC of the 2nd: still the 1st in San Salvador, already the 2nd in Kathmandu.
    p.clock.set(new Date('2026-06-02T03:00:00Z'));
    const [west, east] = [randomUUID(), randomUUID()];
    await register(west);
    await register(east, { timezone: 'Asia/Kathmandu' });
    for (const clinicId of [west, east]) {
      for (const appointmentDate of ['2026-06-01', '2026-06-02']) await book(clinicId, randomUUID(), { appointmentDate });
    }
    expect((await p.stats()).apptToday).toBe(2);
    p.clock.set(new Date('2026-06-02T07:00:00Z'));
    expect((await p.stats()).apptToday).toBe(2);
    p.clock.set(new Date('2026-06-02T20:00:00Z'));
    expect((await p.stats()).apptToday).toBe(1);
  });

  test('use the current zone of the clinic, and their own before the clinic is known', async () => {
    p.clock.set(new Date('2026-06-02T03:00:00Z'));
    const clinicId = randomUUID();
    await book(clinicId, randomUUID());
    expect((await p.stats()).apptToday).toBe(1);
    await update(clinicId, 2, { timezone: 'Asia/Kathmandu' });
    expect((await p.stats()).apptToday).toBe(0);
  });

  test('are counted even if one appointment has an unknown time zone', async () => {
    const [known, unknown] = [randomUUID(), randomUUID()];
    await book(known, randomUUID());
    await book(unknown, randomUUID(), { timezone: 'Mars/Olympus' });
    expect((await p.stats()).apptToday).toBe(1);
  });
});
