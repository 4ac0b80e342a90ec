// The invariants that must hold after each cycle, checked through the public API, or in the database where the API does not show them.
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyAudit } from '@clinic/lib/audit/audit-verify.ts';
import type pg from 'pg';
import { withClient } from '../../database.ts';
import { openOps } from '../../ops/command.ts';
import { SERVICES } from '../../schemas.ts';
import { sum } from '../../statistics.ts';
import { isOk } from '../../until.ts';
import { dayAfter } from '../clinic.ts';
import type { Installation } from './installation.ts';
import { answerTo, asClinic, type CycleClinic, type Ledger, type Outcome } from './load.ts';
import { countUnhandledEvents } from './unhandled-events.ts';

export const SETTLE_SECONDS = 60;

/** Work that is due, by the name of its table. */
const DUE: Record<string, string> = {
  outbox: 'published_at is null',
  audit_pending: 'true',
  turns: 'true',
  // Messages stored before the clock was set back are due as well.
  outbound: `state in ('queued', 'sending', 'uncertain') and (next_attempt_at <= now() or created_at > now())`,
  // Failed jobs are retried within a minute.
  job: `state in ('retry', 'active') or state = 'created' and (start_after <= now() or created_on > now())`,
  chat_events: `status = 'received'`,
  patient_imports: `status = 'running'`,
};

/** Work that is due and not done, and events that a consumer has not handled, for example `3 in messaging.turns`. */
async function findUnfinished(client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query<{ schema: string; kind: string }>(
    `select table_schema as schema, table_name as kind from information_schema.tables
     where table_schema not in ('information_schema', 'pg_catalog') and table_name = any($1)`,
    [Object.keys(DUE)],
  );
  const counts = tables.map(({ schema, kind }) => `select '${schema}.${kind}' as name, count(*)::int as n from ${schema}.${kind} where ${DUE[kind]}`);
  const { rows } = await client.query<{ name: string; n: number }>([...counts, ...countUnhandledEvents()].join(' union all '));
  return rows.filter(({ n }) => n > 0).map(({ name, n }) => `${n} in ${name}`);
}

/** Waits until no work is due. Returns the seconds that this took, and the work that is left after `limitSeconds`. */
export async function settle(installation: Installation, limitSeconds = SETTLE_SECONDS): Promise<{ seconds: number; left: string[] }> {
  const started = performance.now();
  for (;;) {
    const left = await unfinished(installation);
    const seconds = (performance.now() - started) / 1_000;
    if (left.length === 0 || seconds > limitSeconds) return { seconds, left };
    await sleep(150);
  }
}

async function unfinished(installation: Installation): Promise<string[]> {
  if (!(await isOk(`${installation.adminUrl}/readyz`, 2_000))) return ['/readyz does not respond with 200'];
  const processes = installation.topology === 'single' ? 1 : SERVICES.length + 1;
  if (installation.processes().length < processes) return ['a process is not running'];
  try {
    return await withClient(installation.ownerUrl(), findUnfinished, OWNER);
  } catch (error) {
    return [`PostgreSQL: ${(error as Error).message}`];
  }
}

const OWNER = { connectionTimeoutMillis: 5_000, query_timeout: 20_000 };

// biome-ignore lint/suspicious/noExplicitAny: answers of the API are what is examined
type Body = any;

/** The violations of invariants by a clinic's records. */
export async function examine(installation: Installation, clinic: CycleClinic, ledger: Ledger): Promise<string[]> {
  const own = asClinic(installation.url, clinic.token);
  const get = async (path: string): Promise<Body> => {
    for (let left = 120; ; left--) {
      const { status, body } = await own('GET', path);
      if (status === 200) return JSON.parse(body);
      if (left === 0) throw new Error(`GET ${path}: ${status} ${body.slice(0, 200)}`);
      await sleep(250);
    }
  };
  const [appointments, plan, waiting, patients, dashboard, me] = await Promise.all([
    get('/api/appointments?limit=500'),
    get(`/api/dental/payment-plans/${clinic.paymentPlan}`),
    get('/api/waitlist?limit=500'),
    get('/api/patients?limit=500'),
    get(`/api/analytics/dashboard?from=${dayAfter(-20)}&to=${dayAfter(50)}`),
    get('/api/auth/me'),
  ]);
  return [
    ...examineBookings(ledger, appointments.appointments),
    ...examinePayments(ledger, plan),
    ...once('waitlist entry', ledger.waiting, waiting.entries.map(phoneOf)),
    ...once('imported patient', ledger.imports, patients.patients.map(phoneOf)),
    ...examineFigures(dashboard, appointments.appointments, plan),
    ...examineOrder(ledger, me.subscription),
    ...(await examineChats(installation, clinic, ledger)),
    ...(await examineProjections(installation, clinic, appointments.appointments.length, ledger)),
  ];
}

const phoneOf = (row: Body): string => row.phone ?? row.patients.phone;

/** Acknowledged rows must exist once, rows with an unknown outcome at most once, and refused rows must not exist. */
function once(what: string, writes: { phones: string[]; outcome: Outcome }[], found: string[]): string[] {
  return writes.flatMap(({ phones, outcome }) =>
    phones.flatMap((phone) => {
      const count = found.filter((one) => one === phone).length;
      const right = outcome === 'acknowledged' ? count === 1 : outcome === 'refused' ? count === 0 : count <= 1;
      return right ? [] : [`${what} ${phone}, ${outcome}, exists ${count} times`];
    }),
  );
}

function examineBookings(ledger: Ledger, appointments: Body[]): string[] {
  const writes = ledger.bookings.map(({ phone, outcome }) => ({ phones: [phone], outcome }));
  const found = once('appointment', writes, appointments.map(phoneOf));
  for (const { id, statuses, phone } of ledger.bookings.filter((booking) => booking.id)) {
    const status = appointments.find((one) => one.id === id)?.status;
    if (!statuses.includes(status)) found.push(`appointment ${phone} is ${status}, acknowledged as ${statuses.join(', perhaps ')}`);
  }
  const held = appointments.filter(({ status }) => status !== 'cancelled').map((one) => `${one.doctor_id} ${one.appointment_date} ${one.start_time}`);
  for (const slot of new Set(held)) if (held.filter((one) => one === slot).length > 1) found.push(`two appointments overlap: ${slot}`);
  return found;
}

function examinePayments(ledger: Ledger, plan: Body): string[] {
  const cents = plan.payments.map(({ amount }: Body) => Math.round(amount * 100)) as number[];
  const found = ledger.payments.flatMap((payment) => {
    const count = cents.filter((one) => one === payment.cents).length;
    const right = payment.outcome === 'acknowledged' ? count === 1 : count <= 1;
    return right ? [] : [`payment of ${payment.cents} cents, ${payment.outcome}, exists ${count} times`];
  });
  if (Math.round(plan.amount_paid * 100) !== sum(cents)) found.push(`amount_paid is ${plan.amount_paid}, the payments are ${sum(cents)} cents`);
  return found;
}

/** The figures of the dashboard must equal a recount. */
function examineFigures(dashboard: Body, appointments: Body[], plan: Body): string[] {
  const { visits: counted, revenue } = dashboard; // plain-words: visits is a field of the API
  const count = (status: string) => appointments.filter((one) => one.status === status).length;
  const expected = { booked: appointments.length, completed: count('completed'), cancelled: count('cancelled'), collected: plan.amount_paid };
  const shown = { booked: counted.booked.value, completed: counted.completed.value, cancelled: counted.cancelled.value, collected: revenue.collected.value };
  return JSON.stringify(shown) === JSON.stringify(expected) ? [] : [`figures are ${JSON.stringify(shown)}, a recount is ${JSON.stringify(expected)}`];
}

const DAY_MS = 86_400_000;

/** A paid plan must last one month, however often the order was delivered. */
function examineOrder({ order }: Ledger, subscription: Body): string[] {
  const days = (Date.parse(subscription.expires_at) - Date.now()) / DAY_MS;
  const right = order.outcome === 'acknowledged' ? subscription.plan === 'clinica' && days > 26 && days < 33 : true;
  return right ? [] : [`the paid plan is ${JSON.stringify(subscription)}`];
}

/** Each message must have one reply, in the order of the messages. */
async function examineChats({ simulatorUrl }: Installation, { chatNumber }: CycleClinic, { chats }: Ledger): Promise<string[]> {
  const found: string[] = [];
  for (const { phone, words } of chats) {
    const lines = (await (await fetch(`${simulatorUrl}/simulator/thread?number=${chatNumber}&phone=${phone.slice(1)}`)).json()) as Body[];
    const replies = lines.filter(({ from }) => from === 'clinic').map(({ body }) => body.text?.body ?? body.type);
    if (replies.join() !== words.map(answerTo).join()) found.push(`messages ${words} of ${phone} were answered with: ${replies.join(' | ')}`);
  }
  return found;
}

/** The operators' figures and billing's orders, which the clinic's API does not show. */
async function examineProjections(installation: Installation, { id }: CycleClinic, appointments: number, { order }: Ledger): Promise<string[]> {
  return withClient(
    installation.ownerUrl(),
    async (client) => {
      const count = async (table: string) => Number((await client.query(`select count(*) as n from ${table} where clinic_id = $1`, [id])).rows[0]?.n);
      const found: string[] = [];
      const seen = await count('platform.appointments_seen');
      if (seen !== appointments) found.push(`the operators' figures know ${seen} of ${appointments} appointments`);
      const orders = await count('billing.orders');
      if (order.outcome === 'acknowledged' && orders !== 1) found.push(`${orders} orders are stored instead of one`);
      return found;
    },
    OWNER,
  );
}

/** Faults in the hash chains of all clinics' audit logs. */
export async function examineAudit({ dataDir }: Installation): Promise<string[]> {
  process.env.DATA_DIR = dataDir; // openOps finds the installation here
  const ops = openOps('campaign', () => {});
  try {
    const verdicts = await Promise.all(SERVICES.map(async (service) => ({ service, clinics: await verifyAudit(ops.open(service)) })));
    return verdicts.flatMap(({ service, clinics }) =>
      clinics.flatMap(({ clinicId, faults }) => faults.map((fault) => `audit log of ${service}, clinic ${clinicId}: ${fault}`)),
    );
  } finally {
    await ops.close();
  }
}
