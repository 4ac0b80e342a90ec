// Check-in by a signed code, on the day of the appointment, once.
import { randomUUID } from 'node:crypto';
import { fail } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asAnonymous } from '@clinic/lib/testing/callers.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { CheckInService } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MONDAY, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';
import { checkInToken, parseCheckInToken } from './check-in-token.ts';

const CLINIC = 'Clínica <Sonrisas>';
const OPEN = { name: CLINIC, isActive: true, readOnly: false };
let clinic = OPEN;
let identityFails = false;
const identity = localTransport([
  implement({ log: createLog('test', 'silent'), constraints: {} }, AccessService, {
    ...Object.fromEntries(AccessService.methods.map(({ localName }) => [localName, async () => fail('NOT_FOUND')])),
    resolveClinic: async () => (identityFails ? fail('UNAVAILABLE') : clinic),
  } as never),
]);

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling({ identity });
});
beforeEach(() => {
  s.clock.set(MONDAY);
  clinic = OPEN;
});
afterAll(() => s.service.stop());

/** PUBLIC_URL of the test settings. */
const KEYS = [{ id: 'test', key: Buffer.alloc(32, 7) }];
/** San Salvador is UTC−6. */
const ON_THE_DAY = new Date('2026-06-02T14:50:00Z');
const service = () => s.service.client(CheckInService);
const checkIn = (token: string) => service().checkIn({ token }, asAnonymous());
const look = (token: string) => service().getCheckIn({ token }, asAnonymous());

async function booked() {
  const { id, doctor } = await s.clinic();
  const appointment = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  return { id, doctor, appointment, token: checkInToken(KEYS, { clinicId: id, appointmentId: appointment.id }) };
}

test('the QR code contains the link and is the same each time', async () => {
  const { id, appointment } = await booked();
  const svg = await service().getCheckInCode({ id: appointment.id }, s.asUser(id));
  expect(svg.contentType).toBe('image/svg+xml');
  expect(Buffer.from(svg.content).toString()).toMatch(/^<svg .*<\/svg>\s*$/s);
  const png = await service().getCheckInCode({ id: appointment.id, format: 'png' }, s.asUser(id));
  expect(Buffer.from(png.content).subarray(1, 4).toString()).toBe('PNG');
  expect((await service().getCheckInCode({ id: appointment.id, format: 'png' }, s.asUser(id))).etag).toBe(png.etag);
  await expect(service().getCheckInCode({ id: appointment.id, format: 'gif' }, s.asUser(id))).rejects.toMatchObject({ details: [{ path: 'format' }] });
  for (const other of [appointment.id, 'x'])
    await expect(service().getCheckInCode({ id: other }, s.asUser(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('a check-in on the day is published once, also when it is repeated', async () => {
  const { id, appointment, token } = await booked();
  expect(await look(token)).toMatchObject({ status: 'wrong_day', firstName: 'Luis', startTime: '09:00' });
  await expect(checkIn(token)).rejects.toMatchObject({ reason: 'CHECK_IN_CLOSED' });
  s.clock.set(ON_THE_DAY);
  expect(await look(token)).toMatchObject({ status: 'ready' });
  await Promise.all(Array.from({ length: 10 }, () => checkIn(token)));
  s.clock.advance(60_000);
  expect(await checkIn(token)).toMatchObject({ status: 'done', checkedInAt: { seconds: BigInt(ON_THE_DAY.getTime() / 1000) } });
  expect(await s.published(id, 'appointment-checked-in')).toMatchObject([
    { checkedInAt: '2026-06-02T14:50:00Z', appointment: { appointmentId: appointment.id, revision: 2 } },
  ]);
  const listed = await s.appointments.getAppointment({ id: appointment.id }, s.asUser(id));
  expect(listed.checkedInAt?.seconds).toBe(BigInt(ON_THE_DAY.getTime() / 1000));
});

test('the name of the clinic is shown; patients can check in even while identity is unavailable', async () => {
  const { token } = await booked();
  expect((await look(token)).clinicName).toBe(CLINIC);
  s.clock.set(ON_THE_DAY);
  identityFails = true;
  expect(await checkIn(token)).toMatchObject({ status: 'done', clinicName: '' });
  identityFails = false;
  expect((await checkIn(token)).clinicName).toBe(CLINIC);
});

test('check-in is refused while the clinic is read-only or suspended', async () => {
  const { token } = await booked();
  s.clock.set(ON_THE_DAY);
  clinic = { ...OPEN, readOnly: true };
  await expect(checkIn(token)).rejects.toMatchObject({ reason: 'READ_ONLY' });
  expect(await look(token)).toMatchObject({ status: 'ready', readOnly: true });
  clinic = { ...OPEN, isActive: false };
  for (const call of [checkIn, look]) await expect(call(token)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('the day is that of the clinic’s zone', async () => {
  const { token } = await booked();
  for (const [at, status] of [
    ['2026-06-02T05:59:59Z', 'wrong_day'],
    ['2026-06-02T06:00:00Z', 'ready'],
    ['2026-06-03T05:59:59Z', 'ready'],
    ['2026-06-03T06:00:00Z', 'over'],
  ] as const) {
    s.clock.set(new Date(at));
    expect([at, (await look(token)).status]).toEqual([at, status]);
  }
});

test('cancelled and past appointments have their own status', async () => {
  for (const [status, shown] of [
    ['cancelled', 'cancelled'],
    ['completed', 'over'],
    ['no_show', 'over'],
  ] as const) {
    s.clock.set(MONDAY);
    const { id, appointment, token } = await booked();
    s.clock.set(ON_THE_DAY);
    await s.appointments.updateAppointmentStatus({ id: appointment.id, status }, s.asUser(id));
    expect((await look(token)).status).toBe(shown);
    await expect(checkIn(token)).rejects.toMatchObject({ reason: 'CHECK_IN_CLOSED' });
  }
});

test('rescheduling to another day clears the check-in', async () => {
  const { id, appointment, token } = await booked();
  s.clock.set(ON_THE_DAY);
  await checkIn(token);
  const move = (appointmentDate: string, startTime: string) =>
    s.appointments.rescheduleAppointment({ id: appointment.id, appointmentDate, startTime }, s.asUser(id));
  expect((await move(TUESDAY, '10:00')).checkedInAt).toBeDefined();
  expect((await move('2026-06-03', '10:00')).checkedInAt).toBeUndefined();
  s.clock.set(new Date('2026-06-03T15:00:00Z'));
  expect((await checkIn(token)).status).toBe('done');
});

test('a token signed by any key of the ring gives its appointment; any other text gives none', async () => {
  const [old, fresh] = [
    { id: 'old', key: Buffer.alloc(32, 1) },
    { id: 'new', key: Buffer.alloc(32, 2) },
  ];
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), fc.nat(65), fc.constantFrom(...'ABC-_09z'), (clinicId, appointmentId, at, letter) => {
      const token = checkInToken([old], { clinicId, appointmentId });
      expect(token).toHaveLength(66);
      expect(parseCheckInToken([fresh, old], token)).toEqual({ clinicId, appointmentId });
      expect(parseCheckInToken([fresh], token)).toBeUndefined();
      const forged = token.slice(0, at) + letter + token.slice(at + 1);
      if (forged !== token) expect(parseCheckInToken([old], forged)).toBeUndefined();
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => parseCheckInToken([old], text) === undefined));
  for (const token of ['', 'x', 'a'.repeat(66)]) await expect(look(token)).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Check-in not found' });
});
