// For any history of a clinic, and any order and repetition of its events, the figures equal a slow computation from the appointments and
// plans.
import { randomUUID } from 'node:crypto';
import { ResourceService } from '@clinic/proto/scheduling/v1/resource_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type AnalyticsClinic, type Delivery, type PaymentPlan, type Step, startAnalyticsClinic, type Treatment } from '../testing/analytics-clinic.ts';
import { recount, returned } from '../testing/analytics-recount.ts';
import { everyDay, MONDAY } from '../testing/clinic.ts';

let desk: AnalyticsClinic;
beforeAll(async () => {
  desk = await startAnalyticsClinic();
});
beforeEach(() => desk.clock.set(MONDAY));
afterAll(() => desk.stop());

const nat = (max: number) => fc.nat({ max });
const day = nat(70);
const cents = fc.bigInt({ min: 1n, max: 50_000n });
const stepStatus = fc.constantFrom('pending', 'scheduled', 'completed', 'skipped');
const procedure = fc.constantFrom('crown', 'filling_resin', 'implant', '');
const step = fc.record({ procedure, status: stepStatus, cents: fc.oneof(cents, fc.constant(0n)), appointment: nat(40) });
// Mostly near midnight of some zone.
const instant = fc.tuple(day, fc.constantFrom(0, 5, 6, 7, 12, 20, 23)).map(([days, hour]) => new Date(MONDAY.getTime() + (days * 24 + hour - 14) * 3_600_000));

const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('book' as const), doctor: nat(1), day, slot: nat(7), patient: nat(5), chat: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('set' as const),
      appointment: nat(40),
      status: fc.constantFrom('completed', 'cancelled', 'no_show', 'confirmed'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('move' as const), appointment: nat(40), doctor: nat(1), day, slot: nat(7) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('merge' as const), keep: nat(5), merge: nat(5) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('treat' as const), at: instant, steps: fc.array(step, { maxLength: 4 }), accepted: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('change' as const),
      treatment: nat(8),
      steps: fc.array(step, { maxLength: 4 }),
      status: fc.constantFrom('active', 'active', 'paused', 'cancelled'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('owe' as const), at: instant, treatment: nat(8), parts: fc.array(fc.tuple(day, cents), { maxLength: 4 }), cents }),
  },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('pay' as const), plan: nat(8), at: instant, cents }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('void' as const), plan: nat(8), payment: nat(5) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('close' as const), plan: nat(8), status: fc.constantFrom('cancelled', 'paid', 'active') }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('zone' as const), zone: fc.constantFrom('America/New_York', 'Pacific/Auckland', 'Asia/Kathmandu') }) },
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

const dateOn = (days: number) => new Date(Date.UTC(2026, 5, 2) + days * 86_400_000).toISOString().slice(0, 10);
const timeOf = (slot: number) => `${String(8 + Math.floor(slot / 2)).padStart(2, '0')}:${slot % 2 ? '30' : '00'}`;

/** Executes a history and passes on the events after each step. Returns all events and the final zone of the clinic. */
async function execute(
  clinicId: string,
  doctors: string[],
  history: Command[],
  deliver: (events: Delivery[]) => Promise<void>,
): Promise<{ events: Delivery[]; zone: string }> {
  const phones = Array.from({ length: 6 }, () => desk.phone());
  const [appointments, plans, treatments]: [string[], PaymentPlan[], Treatment[]] = [[], [], []];
  const patients = new Map<number, string>();
  const events: Delivery[] = [];
  let [zone, moves] = ['America/El_Salvador', 1];
  const pick = <T>(some: T[], index: number) => some[index % Math.max(some.length, 1)];
  const toSteps = (steps: { procedure: string; status: string; cents: bigint; appointment: number }[]): Step[] =>
    steps.map(({ appointment, ...one }) => ({ ...one, appointmentId: one.status === 'pending' ? '' : (pick(appointments, appointment) ?? '') }));
  const caller = () => desk.asUser(clinicId);
  const chair = await desk.service.client(ResourceService).createResource({ name: `Sillón ${randomUUID()}`, kind: 'chair' }, desk.asAdmin(clinicId));
  const acts: { [D in Command['does']]: (one: Extract<Command, { does: D }>) => Promise<unknown> } = {
    async book({ doctor, day: days, slot, patient, chat }) {
      const booking = {
        ...desk.booking(doctors[doctor] ?? '', timeOf(slot), dateOn(days)),
        patientPhone: phones[patient] ?? '',
        ...(patient % 2 && { resourceId: chair.id }),
      };
      const appointment = await desk.appointments.bookAppointment(booking, caller());
      if (chat) await desk.owner.query(`update scheduling.appointments set source = 'chat' where id = $1`, [appointment.id]);
      appointments.push(appointment.id);
      patients.set(patient, appointment.patientId);
    },
    set: async ({ appointment, status }) => desk.appointments.updateAppointmentStatus({ id: pick(appointments, appointment) ?? '', status }, caller()),
    move: async ({ appointment, doctor, day: days, slot }) =>
      desk.appointments.rescheduleAppointment(
        { id: pick(appointments, appointment) ?? '', doctorId: doctors[doctor] ?? '', appointmentDate: dateOn(days), startTime: timeOf(slot) },
        caller(),
      ),
    merge: async ({ keep, merge }) =>
      desk.family.mergePatients({ keepId: patients.get(keep) ?? '', mergeId: patients.get(merge) ?? '' }, desk.asAdmin(clinicId)),
    async treat({ at, steps, accepted }) {
      const plan = {
        clinicId,
        id: randomUUID(),
        patientId: randomUUID(),
        status: 'active',
        openedAt: at,
        quoteAccepted: accepted,
        steps: toSteps(steps),
        revision: 1,
      };
      desk.treatments.set(plan.id, plan);
      treatments.push(plan);
      events.push(desk.treatmentEvent(plan));
    },
    async change({ treatment, steps, status }) {
      const plan = pick(treatments, treatment);
      if (!plan) return;
      Object.assign(plan, { steps: toSteps(steps), status, revision: plan.revision + 1 });
      events.push(desk.treatmentEvent(plan));
    },
    async owe({ at, treatment, parts, cents: rest }) {
      const instalments = parts.map(([days, amount]) => ({ due: dateOn(days - 60), cents: amount })).toSorted((a, b) => (a.due < b.due ? -1 : 1));
      const total = instalments.length ? instalments.reduce((sum, one) => sum + one.cents, 0n) : rest;
      const plan = {
        ...{ clinicId, id: randomUUID(), patientId: randomUUID(), treatmentId: pick(treatments, treatment)?.id ?? '', status: 'active' },
        ...{ total, openedAt: at, instalments, payments: [], revision: 1 },
      };
      desk.plans.set(plan.id, plan);
      plans.push(plan);
      events.push(desk.planEvent(plan));
    },
    async pay({ plan: index, at, cents: wanted }) {
      const plan = pick(plans, index);
      if (!plan) return;
      const paid = plan.payments.filter(({ voided }) => !voided).reduce((sum, one) => sum + one.cents, 0n);
      const [amount = 0n] = [wanted, plan.total - paid].toSorted((a, b) => Number(a - b));
      if (amount <= 0n) return;
      plan.payments.push({ id: randomUUID(), cents: amount, paidAt: new Date(Math.max(at.getTime(), plan.openedAt.getTime())), voided: false });
      plan.revision++;
      events.push(desk.planEvent(plan));
    },
    async void({ plan: index, payment }) {
      const plan = pick(plans, index);
      const one = plan && pick(plan.payments, payment);
      if (!plan || !one) return;
      one.voided = true;
      plan.revision++;
      events.push(desk.planEvent(plan));
    },
    async close({ plan: index, status }) {
      const plan = pick(plans, index);
      if (!plan) return;
      Object.assign(plan, { status, revision: plan.revision + 1 });
      events.push(desk.planEvent(plan));
    },
    async zone({ zone: next }) {
      zone = next;
      events.push(desk.zoneEvent(clinicId, zone, ++moves));
    },
  };
  const all: Delivery[] = [];
  let delivered = 0;
  for (const one of history) {
    desk.clock.advance(1);
    await (acts[one.does] as (one: Command) => Promise<unknown>)(one).catch(refused);
    const own = await desk.ownEvents(clinicId);
    const fresh = [...events.splice(0), ...own.slice(delivered)];
    delivered = own.length;
    all.push(...fresh);
    await deliver(fresh);
  }
  return { events: all, zone };
}

/** Steps that the service refuses with a specific reason are skipped. */
function refused(error: { reason?: string }) {
  if (!error.reason || ['INTERNAL', 'UNAVAILABLE'].includes(error.reason)) throw error;
}

const periods = [
  { from: '2026-06-01', to: '2026-06-30', day: '2026-06-30' },
  { from: '2026-06-10', to: '2026-07-25', day: '2026-07-25' },
];
const lived: { id: string; zone: string }[] = [];

test('figures equal the slow computation, for any order and repetition of events', async () => {
  const order = fc.array(fc.nat(), { minLength: 100, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 30, maxLength: 60 }), order, async (history, numbers) => {
      desk.clock.set(MONDAY);
      const { id, doctor } = await desk.clinic();
      const other = await desk.doctors.createDoctor({ fullName: 'Dr. Otro', bufferTimeMinutes: 0, workingHours: everyDay('08:00', '12:00') }, desk.asAdmin(id));
      let drawn = 0;
      const draw = () => numbers[drawn++ % numbers.length] ?? 0;
      const waiting: Delivery[] = [];
      const deliverOne = async () => {
        const [one] = waiting.splice(draw() % Math.max(waiting.length, 1), 1);
        if (one) await desk.deliver(one);
      };
      // Some events are delivered soon, some late, some twice.
      const { events, zone } = await execute(id, [doctor.id, other.id], history, async (fresh) => {
        waiting.push(...fresh);
        for (let many = draw() % 4; many > 0; many--) await deliverOne();
      });
      waiting.push(...events.filter(() => draw() % 6 === 0));
      while (waiting.length > 0) await deliverOne();
      desk.clock.set(new Date('2026-08-31T12:00:00Z')); // so that both periods are over
      lived.push({ id, zone });
      for (const period of periods) expect(await returned(desk, id, zone, period)).toEqual(await recount(desk, id, zone, period));
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

test('a rebuild restores lost and wrong figures of all clinics', async () => {
  desk.clock.set(new Date('2026-08-31T12:00:00Z'));
  expect(lived.length).toBeGreaterThan(0);
  await desk.owner.query(
    // plain-words: visits is a stored column
    'delete from scheduling.analytics_days; update scheduling.analytics_hours set visits = visits + 1; delete from scheduling.analytics_payment_plans',
  );
  const first = lived[0] as (typeof lived)[number];
  expect(await returned(desk, first.id, first.zone, periods[0] as (typeof periods)[number])).toMatchObject({ booked: 0 });
  await desk.rebuild();
  await desk.rebuild();
  for (const { id, zone } of lived) for (const period of periods) expect(await returned(desk, id, zone, period)).toEqual(await recount(desk, id, zone, period));
});

test('concurrent events of one clinic give the same figures', async () => {
  const { id, doctor } = await desk.clinic();
  const history: Command[] = [
    ...Array.from({ length: 8 }, (_, slot) => ({ does: 'book' as const, doctor: 0, day: slot % 3, slot, patient: slot % 4, chat: slot % 2 === 0 })),
    { does: 'treat', at: MONDAY, steps: [{ procedure: 'crown', status: 'scheduled', cents: 5_000n, appointment: 2 }], accepted: false },
    {
      does: 'owe',
      at: MONDAY,
      treatment: 0,
      parts: [
        [61, 900n],
        [75, 100n],
      ],
      cents: 1n,
    },
    { does: 'pay', plan: 0, at: MONDAY, cents: 333n },
    { does: 'set', appointment: 1, status: 'completed' },
    { does: 'set', appointment: 2, status: 'no_show' },
    { does: 'move', appointment: 3, doctor: 0, day: 5, slot: 1 },
    { does: 'change', treatment: 0, steps: [{ procedure: 'implant', status: 'completed', cents: 7_000n, appointment: 1 }], status: 'active' },
  ];
  const { events, zone } = await execute(id, [doctor.id], history, async () => {});
  await Promise.all([...events, ...events, ...events.toReversed()].map((one) => desk.deliver(one)));
  desk.clock.set(new Date('2026-08-31T12:00:00Z'));
  const period = { from: '2026-06-01', to: '2026-06-30', day: '2026-06-30' };
  const figures = await returned(desk, id, zone, period);
  expect(figures).toEqual(await recount(desk, id, zone, period));
  expect(figures).toMatchObject({ collected: 333n, byProcedure: { implant: 333n }, byDoctor: { [doctor.id]: 333n }, booked: 8, noShow: 1 });
});
