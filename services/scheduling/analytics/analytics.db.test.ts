// The dashboard: periods, comparisons, occupancy, and the records of figures.
import { randomUUID } from 'node:crypto';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { ResourceService } from '@clinic/proto/scheduling/v1/resource_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type AnalyticsClinic, type PaymentPlan, startAnalyticsClinic, type Treatment } from '../testing/analytics-clinic.ts';
import { everyDay, MONDAY, TUESDAY } from '../testing/clinic.ts';

let desk: AnalyticsClinic;
beforeAll(async () => {
  desk = await startAnalyticsClinic();
});
beforeEach(() => desk.clock.set(MONDAY));
afterAll(() => desk.stop());

const DAY = 86_400_000;
/** A clinic whose doctors were created on MONDAY of the manual clock. */
async function clinic() {
  const made = await desk.clinic();
  await setCreatedOnMonday(made.id);
  return made;
}
const setCreatedOnMonday = (id: string) => desk.owner.query('update scheduling.doctors set created_at = $2 where clinic_id = $1', [id, MONDAY]);
const JUNE = { from: '2026-06-01', to: '2026-06-30' };
const dashboard = (id: string, period: { from?: string; to?: string } = JUNE, timezone = 'America/El_Salvador') =>
  desk.analytics.getDashboard(period, desk.asUser(id, { clinic: { timezone } }));
const records = (id: string, request: object) => desk.analytics.listFigureRecords({ ...JUNE, figure: 'collected', ...request }, desk.asUser(id));
const deliverAll = async (id: string) => {
  for (const one of await desk.ownEvents(id)) await desk.deliver(one);
};
const set = (id: string, appointment: string, status: string) => desk.appointments.updateAppointmentStatus({ id: appointment, status }, desk.asUser(id));

async function treat(clinicId: string, treatment: Partial<Treatment>): Promise<Treatment> {
  const plan = {
    clinicId,
    id: randomUUID(),
    patientId: randomUUID(),
    status: 'active',
    openedAt: MONDAY,
    quoteAccepted: false,
    steps: [],
    revision: 1,
    ...treatment,
  };
  desk.treatments.set(plan.id, plan);
  await desk.deliver(desk.treatmentEvent(plan));
  return plan;
}
async function owe(clinicId: string, owed: Partial<PaymentPlan>): Promise<PaymentPlan> {
  const plan = {
    ...{ clinicId, id: randomUUID(), patientId: randomUUID(), treatmentId: '', status: 'active', total: 10_000n, openedAt: MONDAY },
    ...{ instalments: [], payments: [], revision: 1 },
    ...owed,
  };
  desk.plans.set(plan.id, plan);
  await desk.deliver(desk.planEvent(plan));
  return plan;
}
const payment = (cents: bigint, paidAt: Date) => ({ id: randomUUID(), cents, paidAt, voided: false });

test('a clinic without data has figures of 0 and absent rates', async () => {
  const { id, doctor } = await clinic();
  const { revenue, occupancy, visits: appointments, patients, treatment, receivables, ...period } = await dashboard(id); // plain-words: visits is public JSON
  expect(period).toMatchObject({ from: '2026-06-01', to: '2026-06-30', previousFrom: '2026-05-01', previousTo: '2026-05-31', timezone: 'America/El_Salvador' });
  expect([revenue?.collected?.value, revenue?.byDoctor, revenue?.byProcedure, revenue?.byDay.length]).toEqual([0n, [], [], 30]);
  expect(appointments?.noShowRate).toMatchObject({ link: `/api/appointments?start=2026-06-01&end=2026-06-30&status=no_show` });
  expect([appointments?.noShowRate?.value, appointments?.booked?.change, treatment?.acceptanceRate?.value, patients?.newPatients?.value]).toEqual([
    undefined,
    undefined,
    undefined,
    0,
  ]);
  expect(receivables?.total).toMatchObject({ value: 0n, previous: 0n });
  // 30 days of four hours in June, none in May.
  expect(occupancy).toMatchObject({
    bookedMinutes: 0n,
    availableMinutes: 7_200n,
    rate: { value: 0 },
    byDoctor: [{ doctorId: doctor.id, availableMinutes: 7_200n }],
  });
  expect(occupancy?.rate?.previous).toBeUndefined();
});

test('appointments, rates and occupancy are compared with the month before', async () => {
  const { id, doctor } = await clinic();
  const book = async (time: string, date: string) => (await desk.appointments.bookAppointment(desk.booking(doctor.id, time, date), desk.asUser(id))).id;
  const june = [await book('08:00', TUESDAY), await book('08:30', TUESDAY), await book('09:00', TUESDAY), await book('09:30', '2026-06-03')];
  await set(id, june[0] ?? '', 'completed');
  await set(id, june[1] ?? '', 'no_show');
  await set(id, june[2] ?? '', 'cancelled');
  await set(id, await book('08:00', '2026-07-07'), 'completed');
  await deliverAll(id);
  const { visits: appointments, occupancy, patients } = await dashboard(id, { from: '2026-07-01', to: '2026-07-31' }); // plain-words: visits is public JSON
  expect(appointments).toMatchObject({
    booked: { value: 1, previous: 4, change: -0.75 },
    noShowRate: { value: 0, previous: 0.5, change: -0.5 },
    cancellationRate: { value: 0, previous: 0.25 },
  });
  expect(occupancy).toMatchObject({ bookedMinutes: 30n, availableMinutes: 31n * 240n, rate: { value: 0.004, previous: 0.0083 } });
  expect(occupancy?.byWeekday.map(({ bookedMinutes }) => bookedMinutes)).toEqual([0n, 0n, 30n, 0n, 0n, 0n, 0n]);
  expect(occupancy?.byWeekday.map(({ rate }) => rate?.link)).toEqual([0, 1, 2, 3, 4, 5, 6].map((day) => expect.stringMatching(new RegExp(`&weekday=${day}$`))));
  expect(patients).toMatchObject({ newPatients: { value: 1, previous: 1 }, returningPatients: { value: 0, previous: 0 } });
  expect((await dashboard(id, { from: '2026-06-01', to: '2026-07-31' })).visits?.booked).toMatchObject({ value: 5, previous: 0 }); // plain-words: visits is public JSON
});

test('each count of appointments links to a list of exactly these', async () => {
  const { id, doctor } = await clinic();
  const book = async (time: string, date: string) => (await desk.appointments.bookAppointment(desk.booking(doctor.id, time, date), desk.asUser(id))).id;
  const booked = [await book('08:00', TUESDAY), await book('08:30', TUESDAY), await book('09:00', TUESDAY), await book('08:00', '2026-06-03')];
  await set(id, booked[1] ?? '', 'cancelled');
  await set(id, booked[2] ?? '', 'no_show');
  await set(id, booked[3] ?? '', 'completed');
  await book('08:00', '2026-07-07');
  await deliverAll(id);
  const listed = async ({ link = '' }: { link?: string }) => {
    const query = new URL(link, 'http://localhost').searchParams;
    const { late_cancellation, cancelled, weekday, hour, ...filter } = Object.fromEntries(query);
    const typed = {
      ...filter,
      lateCancellation: late_cancellation === undefined ? undefined : late_cancellation === 'true',
      ...(cancelled && { cancelled: cancelled === 'true' }),
      ...(weekday && { weekday: Number(weekday) }),
      ...(hour && { hour: Number(hour) }),
    };
    return (await desk.appointments.listAppointments(typed, desk.asUser(id))).total;
  };
  const peak = await desk.analytics.getPeakHours(JUNE, desk.asUser(id));
  const { visits: appointments } = await dashboard(id); // plain-words: visits is public JSON
  // plain-words: visits is public JSON
  const figures = [peak, peak.busiest, ...peak.hours].map((one) => one?.visits);
  const { booked: all, completed, noShow, cancelled, chatBookings, lateCancelled } = appointments ?? {};
  figures.push(all, completed, noShow, cancelled, chatBookings, lateCancelled);
  expect(figures.map((figure) => figure?.value)).toEqual([3, 1, 1, 1, 1, 4, 1, 1, 1, 0, 0]);
  for (const figure of figures) expect([figure?.link, await listed(figure ?? {})]).toEqual([figure?.link, figure?.value]);
});

test('occupancy of chairs is a share of the minutes in which any doctor works; deleted chairs count until their last appointment', async () => {
  const { id, doctor } = await clinic();
  const admin = desk.asAdmin(id);
  const late = await desk.doctors.createDoctor({ fullName: 'Dr. Tarde', workingHours: everyDay('10:00', '14:00') }, admin);
  const resources = desk.service.client(ResourceService);
  const [first, second] = [
    await resources.createResource({ name: 'Sillón 1', kind: 'chair' }, admin),
    await resources.createResource({ name: 'Sala', kind: 'room' }, admin),
  ];
  const type = await desk.service
    .client(AppointmentTypeService)
    .createAppointmentType({ name: 'Cirugía', durationMinutes: 30, color: '#112233', resourceKind: 'room' }, admin);
  await setCreatedOnMonday(id);
  await desk.owner.query('update scheduling.resources set created_at = $2 where clinic_id = $1', [id, MONDAY]);
  const booked = await desk.appointments.bookAppointment({ ...desk.booking(doctor.id, '08:00'), resourceId: first.id }, desk.asUser(id));
  await desk.appointments.bookAppointment({ ...desk.booking(late.id, '10:00'), resourceId: first.id }, desk.asUser(id));
  await deliverAll(id);
  const chairs = async () =>
    (await dashboard(id)).occupancy?.byResource.map(({ name, bookedMinutes, availableMinutes }) => [name, bookedMinutes, availableMinutes]);
  // Thirty days from 08:00 to 14:00: the hours that the doctors share count once.
  expect(await chairs()).toEqual([
    ['Sala', 0n, 10_800n],
    ['Sillón 1', 60n, 10_800n],
  ]);
  await desk.appointments.updateAppointment({ id: booked.id, typeId: type.id }, desk.asUser(id));
  await deliverAll(id);
  await resources.deleteResource({ id: second.id }, admin);
  // Deleted: until its last appointment, on the second day.
  expect(await chairs()).toEqual([
    ['Sala', 30n, 720n],
    ['Sillón 1', 30n, 10_800n],
  ]);
});

test('available minutes: breaks, vacations, and the night when the clocks change', async () => {
  const { id } = await clinic();
  const zone = 'America/New_York';
  const admin = desk.asAdmin(id, { clinic: { timezone: zone } });
  const night = { workingHours: everyDay('00:00', '06:00'), breaks: [{ dayOfWeek: 1, startTime: '03:00', endTime: '04:00' }] };
  const owl = await desk.doctors.createDoctor({ fullName: 'Dr. Búho', ...night }, admin);
  await setCreatedOnMonday(id);
  await desk.doctors.createVacation({ doctorId: owl.id, startDate: '2026-11-03', endDate: '2026-11-04' }, admin);
  const { occupancy } = await dashboard(id, { from: '2026-11-01', to: '2026-11-07' }, zone);
  // Sunday has seven hours between midnight and six, Monday a break, Tuesday and Wednesday are free.
  expect(occupancy?.byDoctor.find(({ doctorId }) => doctorId === owl.id)?.availableMinutes).toBe(7n * 60n + 5n * 60n + 3n * 360n);
});

test('the hours of an inactive doctor count until the last appointment', async () => {
  const { id, doctor } = await clinic();
  await set(id, (await desk.appointments.bookAppointment(desk.booking(doctor.id, '09:00', '2026-06-10'), desk.asUser(id))).id, 'completed');
  await deliverAll(id);
  await desk.doctors.deactivateDoctor({ id: doctor.id }, desk.asAdmin(id));
  expect((await dashboard(id)).occupancy).toMatchObject({ availableMinutes: 2_400n, byDoctor: [{ doctorId: doctor.id, availableMinutes: 2_400n }] });
});

test('cancelled appointments do not extend the hours of an inactive doctor, who is listed while they count', async () => {
  const { id, doctor } = await clinic();
  const book = async (date: string) => (await desk.appointments.bookAppointment(desk.booking(doctor.id, '09:00', date), desk.asUser(id))).id;
  await book('2026-06-20');
  await set(id, await book('2026-06-28'), 'cancelled');
  await deliverAll(id);
  await desk.doctors.deactivateDoctor({ id: doctor.id }, desk.asAdmin(id));
  const available = async (from: string, to: string) => (await dashboard(id, { from, to })).occupancy?.byDoctor.map(({ availableMinutes }) => availableMinutes);
  expect(await available('2026-06-01', '2026-06-30')).toEqual([20n * 240n]);
  expect(await available('2026-06-11', '2026-06-12')).toEqual([2n * 240n]);
  expect(await available('2026-06-25', '2026-06-26')).toEqual([]);
});

test('money by doctor, procedure and day, and receivables by age', async () => {
  const { id, doctor } = await clinic();
  const appointment = await desk.appointments.bookAppointment(desk.booking(doctor.id, '09:00'), desk.asUser(id));
  const other = await desk.doctors.createDoctor({ fullName: 'Dr. Saltado', workingHours: everyDay('08:00', '12:00') }, desk.asAdmin(id));
  await setCreatedOnMonday(id);
  const skipped = await desk.appointments.bookAppointment(desk.booking(other.id, '10:00'), desk.asUser(id));
  const steps = [
    { procedure: 'crown', status: 'scheduled', cents: 20_000n, appointmentId: appointment.id },
    { procedure: 'implant', status: 'pending', cents: 6_000n, appointmentId: '' },
    { procedure: 'implant', status: 'pending', cents: 4_000n, appointmentId: '' },
    { procedure: '', status: 'skipped', cents: 99_000n, appointmentId: skipped.id },
  ];
  const plan = await treat(id, { steps });
  const instalments = ['2026-06-10', '2026-07-10', '2026-08-10'].map((due) => ({ due, cents: 10_000n }));
  const owed = await owe(id, {
    treatmentId: plan.id,
    total: 30_000n,
    instalments,
    payments: [payment(10_000n, new Date('2026-06-05T15:00:00Z')), payment(1_000n, new Date('2026-07-01T05:30:00Z'))],
  });
  await owe(id, { payments: [payment(500n, new Date('2026-06-20T15:00:00Z')), { ...payment(700n, MONDAY), voided: true }] });
  desk.clock.set(new Date('2026-09-30T15:00:00Z'));
  const { revenue, treatment, receivables } = await dashboard(id);
  expect(revenue?.collected).toMatchObject({ value: 11_500n, previous: 0n, link: '/api/analytics/records?figure=collected&from=2026-06-01&to=2026-06-30' });
  expect(revenue?.byDoctor.map(({ fullName, collected }) => [fullName, collected?.value])).toEqual([
    ['Dra. Ana Rivas', 11_000n],
    [undefined, 500n],
  ]);
  expect(revenue?.byProcedure.map(({ procedure, name, collected }) => [procedure, name, collected?.value])).toEqual([
    ['crown', 'Corona', 7_334n],
    ['implant', undefined, 3_666n],
    [undefined, undefined, 500n],
  ]);
  expect(revenue?.byDay.filter(({ collected }) => collected > 0n).map(({ date, collected }) => [date, collected])).toEqual([
    ['2026-06-05', 10_000n],
    ['2026-06-20', 500n],
    ['2026-06-30', 1_000n], // still June in the clinic's zone
  ]);
  expect(treatment).toMatchObject({
    presented: { value: 1 },
    accepted: { value: 1 },
    acceptedAmount: { value: 30_000n },
    unscheduledSteps: { value: 2 },
    unscheduledAmount: { value: 10_000n },
  });
  expect(receivables).toMatchObject({ total: { value: 28_500n }, notDue: { value: 28_500n }, days1To30: { value: 0n } });
  const autumn = (await dashboard(id, { from: '2026-09-01', to: '2026-09-30' })).receivables;
  expect(autumn).toMatchObject({
    total: { value: 28_500n },
    notDue: { value: 9_500n },
    days31To60: { value: 10_000n },
    days61To90: { value: 9_000n },
    over90Days: { value: 0n },
  });

  expect(await records(id, {})).toMatchObject({ total: 3, totalAmount: 11_500n });
  const mine = await records(id, { doctorId: doctor.id, procedure: 'crown', limit: 1 });
  expect(mine).toMatchObject({ total: 2, totalAmount: 7_334n, records: [{ date: '2026-06-30', amount: 667n, link: `/api/dental/payment-plans/${owed.id}` }] });
  expect(await records(id, { doctorId: 'none' })).toMatchObject({ total: 1, totalAmount: 500n });
  expect(await records(id, { figure: 'unscheduled' })).toMatchObject({
    total: 1,
    totalAmount: 10_000n,
    totalSteps: 2,
    records: [{ id: plan.id, steps: 2 }],
  });
  expect(await records(id, { figure: 'receivables', from: '2026-09-01', to: '2026-09-30', age: '31_60' })).toMatchObject({ total: 1, totalAmount: 10_000n });
  expect(await records(id, { figure: 'presented' })).toMatchObject({ total: 1, records: [{ id: plan.id, amount: 30_000n }] });
  expect((await records(randomUUID(), {})).total).toBe(0);
});

test('invoiced: credit notes subtracted, refused and invalidated documents left out, by the highest revision', async () => {
  const { id } = await clinic();
  const document = { clinicId: id, documentId: randomUUID(), type: 'invoice', status: 'processed', issuedOn: '2026-06-03', totalCents: 11_300n, revision: 2 };
  const events = [
    desk.documentEvent(document),
    desk.documentEvent({ ...document, status: 'pending', issuedOn: '2026-06-02', revision: 1 }),
    desk.documentEvent({ ...document, documentId: randomUUID(), type: 'credit_note', totalCents: 1_300n, status: 'contingency' }),
    desk.documentEvent({ ...document, documentId: randomUUID(), status: 'rejected' }),
    desk.documentEvent({ ...document, documentId: randomUUID(), status: 'invalidated' }),
    desk.documentEvent({ ...document, documentId: randomUUID(), issuedOn: '2026-05-31', totalCents: 5_000n }),
  ];
  for (const one of [...events, ...events.toReversed()]) await desk.deliver(one);
  const { revenue } = await dashboard(id);
  expect(revenue?.invoiced).toMatchObject({
    value: 10_000n,
    previous: 5_000n,
    change: 1,
    link: '/api/dte/documents?from=2026-06-01&to=2026-06-30&issued=true',
  });
  expect(revenue?.byDay.filter(({ invoiced }) => invoiced !== 0n)).toMatchObject([{ date: '2026-06-03', invoiced: 10_000n }]);
  await desk.deliver(desk.documentEvent({ ...document, issuedOn: '2026-06-04', revision: 3 }));
  expect((await dashboard(id)).revenue?.byDay.filter(({ invoiced }) => invoiced !== 0n).map(({ date }) => date)).toEqual(['2026-06-03', '2026-06-04']);
  await desk.deliver(desk.documentEvent({ ...document, status: 'invalidated', revision: 4 }));
  expect((await dashboard(id)).revenue?.invoiced?.value).toBe(-1_300n);
});

test('after a change of the zone, treatment plans have the dates of the zone as the service knows it', async () => {
  const { id } = await clinic();
  const opened = ['2026-11-10T05:30:00Z', '2026-11-10T06:30:00Z', '2026-11-09T23:30:00Z'].map((at) => new Date(at));
  for (const openedAt of opened) await treat(id, { openedAt });
  const dates = async () => {
    const page = await records(id, { figure: 'presented', from: '2026-11-01', to: '2026-11-30' });
    return page.records.map(({ date }) => date);
  };
  // PostgreSQL may have older rules of some of these zones than Node.
  for (const [index, zone] of ['America/Edmonton', 'Africa/Casablanca', 'Asia/Tokyo'].entries()) {
    await desk.deliver(desk.zoneEvent(id, zone, index + 2));
    const expected = opened
      .map((at) => dateIn(zone, at))
      .sort()
      .reverse();
    expect(await dates()).toEqual(expected);
    const days = await Promise.all(
      [...new Set(expected)].map(async (date) => [date, (await dashboard(id, { from: date, to: date }, zone)).treatment?.presented?.value]),
    );
    expect(days).toEqual([...Map.groupBy(expected, (date) => date)].map(([date, some]) => [date, some.length]));
  }
});

test('the SVG and the PDF change only when the figures change', async () => {
  const { id, doctor } = await clinic();
  const draw = () => desk.analytics.drawDashboard(JUNE, desk.asUser(id));
  const print = () => desk.analytics.printDashboard(JUNE, desk.asUser(id));
  const [empty, page] = [await draw(), await print()];
  expect(Buffer.from(empty.content).toString()).toMatch(/^<svg .*Clínica Dental Sonrisa.*1 al 30 de junio de 2026.*<\/svg>$/s);
  expect([page.contentType, page.filename, Buffer.from(page.content.subarray(0, 5)).toString()]).toEqual([
    'application/pdf',
    'tablero-2026-06-01-2026-06-30.pdf',
    '%PDF-',
  ]);
  expect([(await draw()).etag, (await print()).etag]).toEqual([empty.etag, page.etag]);
  await desk.appointments.bookAppointment(desk.booking(doctor.id, '09:00'), desk.asUser(id));
  await deliverAll(id);
  expect((await draw()).etag).not.toBe(empty.etag);
  expect((await print()).etag).not.toBe(page.etag);
  await expect(desk.analytics.drawDashboard({ to: 'x' }, desk.asUser(id))).rejects.toMatchObject({ details: [{ path: 'to' }] });
});

test('a patient is new once and returning afterwards; merged records count as one patient', async () => {
  const { id, doctor } = await clinic();
  const seen = async (date: string, time: string, phone: string) => {
    const appointment = await desk.appointments.bookAppointment({ ...desk.booking(doctor.id, time, date), patientPhone: phone }, desk.asUser(id));
    await set(id, appointment.id, 'completed');
    return appointment.patientId;
  };
  const [ana, eva] = [desk.phone(), desk.phone()];
  const keepId = await seen('2026-06-10', '08:00', ana);
  const mergeId = await seen('2026-07-10', '08:30', eva);
  await seen('2026-07-10', '09:00', ana);
  await seen('2026-07-20', '09:00', ana);
  await deliverAll(id);
  const july = { from: '2026-07-01', to: '2026-07-31' };
  const of = async () => {
    const { patients } = await dashboard(id, july);
    const lists = await Promise.all(['new_patients', 'returning_patients'].map((figure) => records(id, { ...july, figure })));
    return [patients?.newPatients?.value, patients?.returningPatients?.value, ...lists.map(({ total }) => total)];
  };
  expect(await of()).toEqual([1, 1, 1, 1]);
  const count = (await desk.ownEvents(id)).length;
  await desk.family.mergePatients({ keepId, mergeId }, desk.asAdmin(id));
  for (const one of (await desk.ownEvents(id)).slice(count)) await desk.deliver(one);
  expect(await of()).toEqual([0, 1, 0, 1]);
});

test('the previous value of each figure is the value of the period before', async () => {
  const { id, doctor } = await clinic();
  const appointment = await desk.appointments.bookAppointment(desk.booking(doctor.id, '09:00', '2026-06-09'), desk.asUser(id));
  await set(id, appointment.id, 'completed');
  await deliverAll(id);
  await treat(id, {
    openedAt: new Date(MONDAY.getTime() + 3 * DAY),
    quoteAccepted: true,
    steps: [{ procedure: 'crown', status: 'pending', cents: 4_000n, appointmentId: '' }],
  });
  await owe(id, { payments: [payment(900n, new Date(MONDAY.getTime() + 5 * DAY))] });
  desk.clock.set(new Date('2026-09-30T15:00:00Z'));
  const after = await dashboard(id, { from: '2026-06-15', to: '2026-06-28' });
  const before = await dashboard(id, { from: after.previousFrom, to: after.previousTo });
  expect([after.previousFrom, after.previousTo]).toEqual(['2026-06-01', '2026-06-14']);
  const sides = (one: typeof after, side: 'value' | 'previous') =>
    // plain-words: visits is public JSON
    [one.revenue, one.visits, one.patients, one.treatment, one.receivables].flatMap((group) =>
      Object.entries(group ?? {}).flatMap(([name, figure]) =>
        figure && typeof figure === 'object' && side in figure ? [[name, (figure as Record<string, unknown>)[side]]] : [],
      ),
    );
  expect(sides(after, 'previous')).toEqual(sides(before, 'value'));
  expect(sides(before, 'value').length).toBeGreaterThan(20);
});

test('an invalid period is refused with its field', async () => {
  const { id } = await clinic();
  const wrong: [{ from?: string; to?: string }, string][] = [
    [{ from: '2026-06-31' }, 'from'],
    [{ to: 'today' }, 'to'],
    [{ from: '2026-06-02', to: '2026-06-01' }, 'to'],
    [{ from: '2025-06-01', to: '2026-06-02' }, 'to'],
    [{ from: '2025-01-01' }, 'from'],
    [{ from: '2026-06-02' }, 'from'], // after today
  ];
  for (const [period, path] of wrong) {
    await expect(dashboard(id, period)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
    await expect(desk.analytics.getPeakHours(period, desk.asUser(id))).rejects.toMatchObject({ details: [{ path }] });
  }
  expect(await dashboard(id, { from: '2025-06-02', to: '2026-06-02' })).toMatchObject({ previousFrom: '2024-06-01' });
  expect(await dashboard(id, {})).toMatchObject({ from: '2026-05-03', to: '2026-06-01' });
  for (const [request, path] of [
    [{ figure: 'x' }, 'figure'],
    [{ doctorId: 'x' }, 'doctor_id'],
    [{ figure: 'receivables', age: 'old' }, 'age'],
    [{ figure: 'receivables', doctorId: 'none' }, 'doctor_id'],
    [{ figure: 'new_patients', procedure: 'crown' }, 'procedure'],
    [{ age: '1_30' }, 'age'],
    [{ limit: 501 }, 'limit'],
  ] as const)
    await expect(records(id, request)).rejects.toMatchObject({ details: [{ path }] });
});
