// A model of a clinic's history as a sequence of steps: requests of users, events delivered repeatedly and in any order, jobs, passing time, lost
// responses, broken connections and restarts. After each step, and when everything has been delivered, the records must match the model.
import { isDeepStrictEqual } from 'node:util';
import { asService, asUser } from '@clinic/lib/testing/callers.ts';
import fc from 'fast-check';
import { instant, invoiceBody, orderBody, subscriptionBody } from '../../../services/billing/testing/provider-events.ts';
import { START, type World } from './world.ts';

/** How often each kind of step occurs, relative to the others. */
const WEIGHTS = {
  book: 4,
  status: 3,
  move: 1,
  draft: 1,
  bookDraft: 1,
  dropDraft: 1,
  join: 2,
  leave: 1,
  accept: 2,
  decline: 1,
  pay: 2,
  void: 1,
  deliver: 6,
  job: 2,
  sweep: 1,
  provider: 3,
  remind: 1,
  send: 2,
  wait: 2,
  restart: 1,
};
type What = keyof typeof WEIGHTS;
const WHAT = Object.entries(WEIGHTS).flatMap(([what, weight]) => Array<What>(weight).fill(what as What));

/** `a`, `b` and `c` choose the subject of the step. `fault` is the statement at which connections break; with `lost`, a response is lost. */
export type Step = { what: What; a: number; b: number; c: number; fault: number; lost: boolean };

const nat = fc.nat({ max: 1_000 });
const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(...WHAT),
  a: nat,
  b: nat,
  c: nat,
  fault: fc.oneof({ weight: 7, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.integer({ min: 1, max: 14 }) }),
  lost: fc.boolean(),
});
export const history = fc.noBias(fc.array(step, { minLength: 20, maxLength: 60 }));

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAYS = ['2026-06-02', '2026-06-03'];
const TIMES = ['08:00', '08:30', '09:00', '09:30'];
const TOTAL = 10_000n;
const EVERY_DAY = Array.from({ length: 7 }, (_, dayOfWeek) => ({ dayOfWeek, startTime: '08:00', endTime: '10:00' }));
/** The reasons for which a step may be refused. */
const REFUSALS = new Set(['SLOT_TAKEN', 'SLOT_UNAVAILABLE', 'OFFER_NOT_OPEN', 'NOT_FOUND', 'AMOUNT_EXCEEDS_BALANCE', 'WAITLIST_ENTRY_BOOKED']);

type Appointment = { id: string; status: string; date: string; startTime: string };

class Violation extends Error {}
const violated = (what: string): never => {
  throw new Violation(what);
};

/** Runs a history on a new clinic. Throws when an invariant is violated. */
export async function live(world: World, steps: Step[]): Promise<void> {
  const clinicId = await world.begin();
  const doctor = await world.doctors.createDoctor({ fullName: 'Dra. Ana Rivas', workingHours: EVERY_DAY }, asUser(clinicId, { role: 'admin' }));
  const userId = '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70';
  const appointments = new Map<string, Appointment>();
  const drafts: { id: string; date: string; startTime: string }[] = [];
  const entries: string[] = [];
  const payments: { id: string; amount: bigint; voided: boolean }[] = [];
  const reminded = new Set<string>();
  const purchase = purchaseOf(clinicId, steps.length % 2 === 0);
  let plan = '';
  let keys = 0;
  let phones = 0;
  const known = ({ id, status, appointmentDate: date, startTime }: { id: string; status: string; appointmentDate: string; startTime: string }) =>
    appointments.set(id, { id, status, date, startTime: startTime.slice(0, 5) });
  const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)];
  const phone = () => `+503${70_000_000 + ++phones}`;

  /**
   * Sends a request with an idempotency key, as a careful client does, and repeats it when a connection broke or the response was lost. Undefined
   * when it was refused.
   */
  async function ask<T>({ fault, lost }: Step, request: (caller: ReturnType<typeof asUser>) => Promise<T>, refusals = REFUSALS): Promise<T | undefined> {
    const caller = () => asUser(clinicId, { userId, key: `key-${keys}` });
    keys++;
    for (const broken of Object.values(world.broken)) broken.breakAt(fault);
    let first: T | undefined;
    for (let attempt = 0; ; attempt++) {
      try {
        const answer = await request(caller());
        if (lost && attempt === 0) {
          first = answer;
          continue;
        }
        if (first !== undefined && !isDeepStrictEqual(first, answer)) violated('a repeated request had a different response');
        return answer;
      } catch (error) {
        if (error instanceof Violation) throw error;
        const broke = Object.values(world.broken).some((one) => one.broke());
        const { reason } = error as { reason?: string };
        if (first === undefined && reason && refusals.has(reason)) return undefined;
        if (!broke || attempt > 2) violated(`a request failed: ${reason ?? error}${first === undefined ? '' : ' (it had succeeded before)'}`);
      } finally {
        for (const broken of Object.values(world.broken)) broken.breakAt(0);
      }
    }
  }

  /** Performs background work. When a connection breaks, the work is retried by a later step. */
  async function work({ fault }: Step, perform: () => Promise<unknown>): Promise<void> {
    for (const broken of Object.values(world.broken)) broken.breakAt(fault);
    try {
      await perform();
    } catch (error) {
      if (error instanceof Violation || !Object.values(world.broken).some((one) => one.broke())) throw error;
    } finally {
      for (const broken of Object.values(world.broken)) broken.breakAt(0);
    }
  }

  async function send({ a }: Pick<Step, 'a'>): Promise<void> {
    const message = pick(await world.queued(), a);
    if (!message) return;
    const prepared = await world.prepare(message);
    if (prepared && 'notBefore' in prepared) return;
    const isSent = prepared === undefined || !('drop' in prepared);
    if (isSent && message.kind === 'appointment_reminder') {
      const [id = '', kind] = message.reference.split('/');
      const { status, date, startTime } = appointments.get(id) ?? violated('a reminder of an unknown appointment');
      if (status !== 'confirmed') violated(`a reminder was sent of an appointment that is ${status}`);
      if (startOf(date, startTime) <= world.clock.now()) violated('a reminder was sent after the start');
      const what = `${id} ${kind} ${date} ${startTime}`;
      if (reminded.has(what)) violated('a reminder was sent twice');
      reminded.add(what);
    }
    await world.close(message, isSent ? 'sent' : 'dropped');
  }

  const perform: Record<Step['what'], (step: Step) => Promise<unknown>> = {
    async book(one) {
      const slot = { doctorId: doctor.id, appointmentDate: pick(DAYS, one.a) ?? '', startTime: pick(TIMES, one.b) ?? '' };
      const patient = { patientName: 'Luis Pérez', patientPhone: phone() };
      const booked = await ask(one, (caller) => world.appointments.bookAppointment({ ...slot, ...patient }, caller));
      if (booked) known(booked);
    },
    async status(one) {
      const chosen = pick([...appointments.values()], one.a);
      const status = pick(['cancelled', 'cancelled', 'confirmed', 'completed', 'no_show'], one.b) ?? '';
      if (!chosen) return;
      const changed = await ask(one, (caller) => world.appointments.updateAppointmentStatus({ id: chosen.id, status }, caller));
      if (changed) chosen.status = status;
      else if (status !== 'confirmed') violated(`the status ${status} was refused`);
    },
    async move(one) {
      const chosen = pick([...appointments.values()], one.a);
      if (chosen?.status !== 'confirmed') return;
      const to = { appointmentDate: pick(DAYS, one.b) ?? '', startTime: pick(TIMES, one.c) ?? '' };
      const moved = await ask(one, (caller) => world.appointments.rescheduleAppointment({ id: chosen.id, ...to }, caller));
      if (moved) Object.assign(chosen, { date: to.appointmentDate, startTime: to.startTime });
    },
    async draft(one) {
      const slot = { doctorId: doctor.id, appointmentDate: pick(DAYS, one.a) ?? '', startTime: pick(TIMES, one.b) ?? '' };
      const draft = await ask(one, (caller) => world.drafts.createSlotDraft(slot, caller));
      if (draft) drafts.push({ id: draft.id, date: slot.appointmentDate, startTime: slot.startTime });
    },
    async bookDraft(one) {
      const draft = pick(drafts, one.a);
      if (!draft) return;
      const slot = { doctorId: doctor.id, appointmentDate: draft.date, startTime: draft.startTime, slotDraftId: draft.id };
      const patient = { patientName: 'Rosa Díaz', patientPhone: phone() };
      const booked = await ask(one, (caller) => world.appointments.bookAppointment({ ...slot, ...patient }, caller));
      if (booked) known(booked);
    },
    async dropDraft(one) {
      const draft = pick(drafts, one.a);
      if (draft) await ask({ ...one, lost: false }, (caller) => world.drafts.deleteSlotDraft({ id: draft.id }, caller));
    },
    async join(one) {
      const wish = { patientName: 'Eva Luna', patientPhone: phone(), dateFrom: DAYS[0] ?? '', dateTo: DAYS[1] ?? '' };
      const entry = await ask(one, (caller) => world.waitlist.joinWaitlist(wish, caller));
      if (entry) entries.push(entry.id);
    },
    async leave(one) {
      const id = pick(entries, one.a);
      if (id) await ask({ ...one, lost: false }, (caller) => world.waitlist.leaveWaitlist({ id }, caller));
    },
    async accept(one) {
      const id = pick(entries, one.a);
      const booked = id && (await ask(one, (caller) => world.waitlist.acceptOffer({ id }, caller), new Set(['OFFER_NOT_OPEN'])));
      if (booked) known(booked);
    },
    async decline(one) {
      const id = pick(entries, one.a);
      if (id) await ask({ ...one, lost: false }, (caller) => world.waitlist.declineOffer({ id }, caller));
    },
    async pay(one) {
      const patient = pick([...appointments.keys()], 0);
      if (!plan && patient) {
        const { patientId } = await world.appointments.getAppointment({ id: patient }, asUser(clinicId));
        const opened = { patientId, description: 'Ortodoncia', totalAmount: TOTAL };
        plan = (await ask(one, (caller) => world.payments.createPaymentPlan(opened, caller)))?.id ?? '';
      }
      if (!plan) return;
      const amount = BigInt(1 + (one.b % 40) * 100);
      const balance = TOTAL - payments.filter(({ voided }) => !voided).reduce((sum, paid) => sum + paid.amount, 0n);
      const paid = await ask(one, (caller) => world.payments.recordPayment({ id: plan, amount }, caller));
      if (Boolean(paid) !== amount <= balance) violated(`a payment of ${amount} was ${paid ? 'accepted' : 'refused'} with a balance of ${balance}`);
      const fresh = paid?.payments.find(({ id }) => !payments.some((one) => one.id === id));
      if (paid) payments.push({ id: fresh?.id ?? violated('a payment is not on its plan'), amount, voided: false });
    },
    async void(one) {
      const payment = pick(
        payments.filter(({ voided }) => !voided),
        one.a,
      );
      if (!payment) return;
      const done = await ask({ ...one, lost: false }, (caller) => world.payments.voidPayment({ id: payment.id, reason: 'Por error' }, caller));
      // When the response to a void is lost, the repeated request is refused, although the payment is void.
      payment.voided = done !== undefined || (await isVoided(payment.id));
    },
    async deliver(one) {
      const delivery = pick(await world.undelivered(), one.a);
      if (!delivery) return;
      await work(one, () => world.deliver(delivery));
      if (one.lost) await world.deliver(delivery); // the acknowledgement was lost, so the event is delivered again
    },
    async job(one) {
      const due = pick(await world.dueJobs(), one.a);
      if (due) await work(one, () => world.run(due));
    },
    sweep: (one) => work(one, () => world.runScheduled(one.a % 2 ? 'sweep-waitlist' : 'sweep-payments')),
    provider: (one) => work(one, () => report(pick(purchase.events, one.a) ?? {})),
    remind: (one) => work(one, () => world.sendReminders()),
    send: (one) => work(one, () => send(one)),
    async wait(one) {
      world.clock.advance(pick([MINUTE, 6 * MINUTE, 16 * MINUTE, HOUR, 5 * HOUR], one.a) ?? 0);
    },
    restart: () => world.restart(),
  };

  const report = (event: object) => world.provider.receivePaymentEvent({ body: Buffer.from(JSON.stringify(event)) }, asService('gateway'));
  const isVoided = async (id: string) => (await world.query('select from dental.payments where id = $1 and voided_at is not null', [id])).length > 0;

  for (const [index, one] of steps.entries()) {
    try {
      await perform[one.what](one);
      await examine();
    } catch (error) {
      throw new Error(`step ${index + 1}, ${JSON.stringify(one)}: ${(error as Error).message}`, { cause: error });
    }
  }
  await finish();

  /** Checks the invariants that hold after every step. */
  async function examine(): Promise<void> {
    const now = world.clock.now();
    const [found] = await world.query<{
      twice: number;
      held: number;
      offers: number;
      offered: number;
      closed: number;
      sums: number;
      orders: number;
      ahead: number;
      lost: number;
    }>(
      `select
        (select count(*)::int from scheduling.appointments a join scheduling.appointments b
          on a.doctor_id = b.doctor_id and a.id < b.id and a.busy && b.busy and a.status in ('confirmed', 'pending') and b.status in ('confirmed', 'pending')) as twice,
        (select count(*)::int from scheduling.slot_drafts d join scheduling.appointments a
          on a.doctor_id = d.doctor_id and a.busy && d.busy and a.status in ('confirmed', 'pending') where d.expires_at > $1) as held,
        (select count(*)::int from scheduling.waitlist_offers o where o.status = 'open' and o.expires_at > $1
          and not exists (select from scheduling.slot_drafts d where d.id = o.id and d.expires_at > $1)) as offers,
        (select count(*)::int from scheduling.waitlist_entries e
          where (e.status = 'offered') <> exists (select from scheduling.waitlist_offers o where o.entry_id = e.id and o.status = 'open')
            or (e.status = 'booked') <> (e.appointment_id is not null)) as offered,
        (select count(*)::int from scheduling.slot_drafts d where d.kind = 'offer' and d.expires_at > $1
          and not exists (select from scheduling.waitlist_offers o where o.id = d.id and o.status = 'open')) as closed,
        (select count(*)::int from dental.payment_plans p where p.paid_cents <>
          (select coalesce(sum(q.amount_cents), 0) from dental.payments q where q.payment_plan_id = p.id and q.voided_at is null)) as sums,
        (select count(*)::int from billing.orders) as orders,
        (select count(*)::int from identity.applied_subscriptions a left join billing.clinic_subscriptions s using (clinic_id)
          where s.revision is null or a.revision > s.revision) as ahead,
        (select count(*)::int from billing.clinic_subscriptions s left join identity.applied_subscriptions a using (clinic_id)
          where s.applied_revision > coalesce(a.revision, 0)) as lost`,
      [now],
    );
    if (found?.twice) violated('two appointments overlap');
    if (found?.held) violated('an appointment is in a slot that a draft holds');
    if (found?.offers) violated('an open offer holds no slot');
    if (found?.offered) violated('an entry of the waitlist and its offer differ');
    if (found?.closed) violated('a slot is held for an offer that is closed');
    if (found?.sums) violated('the amount paid is not the sum of the payments');
    if ((found?.orders ?? 0) > 1) violated('the order was counted twice');
    if (found?.ahead) violated('identity has applied a subscription that nobody has paid for');
    if (found?.lost) violated('billing believes that identity has applied a subscription');
    const stored = await world.query<{ id: string; status: string; at: string }>(
      `select id, status, appointment_date::text || ' ' || to_char(start_time, 'HH24:MI') as at from scheduling.appointments`,
    );
    const rows = stored.map(({ id, status, at }) => `${id} ${status} ${at}`).toSorted();
    const expected = [...appointments.values()].map(({ id, status, date, startTime }) => `${id} ${status} ${date} ${startTime}`).toSorted();
    if (rows.join() !== expected.join()) violated(`the appointments are ${rows}, acknowledged were ${expected}`);
    const paid = payments.filter(({ voided }) => !voided).reduce((sum, { amount }) => sum + amount, 0n);
    const [{ sum } = { sum: '0' }] = await world.query<{ sum: string }>(
      'select coalesce(sum(amount_cents), 0) as sum from dental.payments where voided_at is null',
    );
    if (BigInt(sum) !== paid) violated(`${sum} is paid, ${paid} was acknowledged`);
  }

  /** Delivers all events and runs all jobs while a day passes, and checks that all projections agree and no work is left. */
  async function finish(): Promise<void> {
    for (const event of purchase.events) await report(event);
    for (const hours of [0, 1, 13, 13]) {
      world.clock.advance(hours * HOUR);
      for (let turn = 0; ; turn++) {
        const deliveries = await world.undelivered();
        const delivery = pick(deliveries, turn * 7);
        if (delivery) await world.deliver(delivery);
        const [job] = await world.dueJobs();
        if (job) await world.run(job);
        if (!delivery && !job) break;
      }
      await world.runScheduled('sweep-waitlist');
      await world.runScheduled('sweep-payments');
      await world.sendReminders();
      for (let left = (await world.queued()).length; left > 0; left--) await send({ a: 0 });
      await examine();
    }
    const all = [...appointments.values()];
    const count = (status: string) => all.filter((one) => one.status === status).length;
    const { visits: counted, revenue } = await world.analytics.getDashboard({ from: '2026-05-20', to: '2026-06-20' }, asUser(clinicId, { role: 'admin' })); // plain-words: visits is a field of the API
    const shown = [counted?.booked?.value, counted?.completed?.value, counted?.cancelled?.value, Number(revenue?.collected?.value ?? 0)];
    const paid = payments.filter(({ voided }) => !voided).reduce((sum, { amount }) => sum + amount, 0n);
    const expected = [all.length, count('completed'), count('cancelled'), Number(paid)];
    if (shown.join() !== expected.join()) violated(`the figures are ${shown}, a recount is ${expected}`);
    const [clinic] = await world.query('select subscription_plan as plan, subscription_expires_at as until from identity.clinics');
    if (!isDeepStrictEqual(clinic, purchase.result)) violated(`the clinic has ${JSON.stringify(clinic)} and paid for ${JSON.stringify(purchase.result)}`);
    const late = await world.query('select from scheduling.waitlist_offers where status = $1 and expires_at <= $2', ['open', world.clock.now()]);
    if (late.length > 0) violated('an offer has expired and is still open');
    const reminders = await world.query<{ appointment_id: string; starts: Date }>(
      `select appointment_id, starts_at as starts from messaging.reminders where state = 'planned'`,
    );
    for (const { appointment_id, starts } of reminders) {
      const { status, date, startTime } = appointments.get(appointment_id) ?? violated('a reminder of an unknown appointment is planned');
      if (status !== 'confirmed' || startOf(date, startTime).getTime() !== starts.getTime())
        violated(`a reminder is planned of an appointment that is ${status} at ${date} ${startTime}`);
    }
    await everyListedSlotCanBeBooked();
  }

  async function everyListedSlotCanBeBooked(): Promise<void> {
    const date = '2026-06-03';
    const { slots } = await world.doctors.listSlots({ doctorId: doctor.id, date }, asUser(clinicId));
    for (const { startTime } of slots) {
      const patient = { patientName: 'Luis Pérez', patientPhone: phone() };
      await world.appointments.bookAppointment({ doctorId: doctor.id, appointmentDate: date, startTime, ...patient }, asService('messaging', clinicId));
    }
  }
}

const days = (count: number) => new Date(START.getTime() + count * 24 * HOUR);

/** The payment provider's reports of a subscription, which may arrive in any order and repeatedly, and the resulting plan. */
function purchaseOf(clinicId: string, refunded: boolean) {
  const renewed = (at: number, until: number) => ({
    order_id: 7,
    created_at: instant(days(-40)),
    renews_at: instant(days(until)),
    updated_at: instant(days(at)),
  });
  const events = [
    orderBody('order_created', 7, days(-40), { clinicId }),
    subscriptionBody('subscription_created', 8, days(-40), 'active', renewed(-40, -10), { clinicId }),
    invoiceBody('subscription_payment_failed', 9, 8, days(-10)),
    subscriptionBody('subscription_updated', 8, days(-10), 'past_due', renewed(-10, -9), { clinicId }),
    invoiceBody('subscription_payment_recovered', 9, 8, days(-8)),
    subscriptionBody('subscription_updated', 8, days(-8), 'active', renewed(-8, 20), { clinicId }, 222),
    ...(refunded ? [orderBody('order_refunded', 7, days(-1), { clinicId })] : []),
  ];
  return { events, result: { plan: 'pro', until: days(refunded ? -1 : 20) } };
}

/** In San Salvador, which is six hours behind UTC all year. */
const startOf = (date: string, time: string) => new Date(`${date}T${time}:00-06:00`);
