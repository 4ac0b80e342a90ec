// Scheduling, dental, billing and messaging with their real handlers, consumers and jobs on one database, but without relay, NATS and timers. The
// caller decides the time, which event is delivered next and how often, and which job runs.
import { hash, randomUUID } from 'node:crypto';
import { type DescService, fromJson, type JsonValue } from '@bufbuild/protobuf';
import { closeDb, openDb } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Consumer } from '@clinic/lib/events/events.ts';
import { handleOnce } from '@clinic/lib/events/inbox.ts';
import { eventToken } from '@clinic/lib/events/outbox.ts';
import { type Job, startJobs } from '@clinic/lib/jobs/jobs.ts';
import { transportFrom } from '@clinic/lib/rpc/context.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { type Handlers, type Implementation, implement } from '@clinic/lib/rpc/pipeline.ts';
import type { Start } from '@clinic/lib/runtime/service.ts';
import { createLog, type Log } from '@clinic/lib/telemetry/log.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { testDatabase } from '@clinic/lib/testing/database.ts';
import { testSettings } from '@clinic/lib/testing/settings.ts';
import { PaymentEventService } from '@clinic/proto/billing/v1/payment_event_pb.js';
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { SubscriptionService } from '@clinic/proto/identity/v1/subscription_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { AnalyticsService } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { createClient, type Transport } from '@connectrpc/connect';
import pg from 'pg';
import billing from '../../../services/billing/service.ts';
import { VARIANTS } from '../../../services/billing/testing/provider-events.ts';
import dental from '../../../services/dental/service.ts';
import type { App as IdentityApp } from '../../../services/identity/app.ts';
import { applySubscription } from '../../../services/identity/subscriptions/apply-subscription.ts';
import { onSubscriptionChanged } from '../../../services/identity/subscriptions/on-subscription-changed.ts';
import { createApp as createMessaging } from '../../../services/messaging/app.ts';
import { prepareMessage } from '../../../services/messaging/outbound/prepare.ts';
import { onWaitlistOffered } from '../../../services/messaging/reminders/consumers.ts';
import { onAppointmentChanged } from '../../../services/messaging/reminders/on-appointment-changed.ts';
import { prepares } from '../../../services/messaging/reminders/prepares.ts';
import { sendDueReminders } from '../../../services/messaging/reminders/send-reminders.ts';
import { settings as messagingSettings } from '../../../services/messaging/settings.ts';
import scheduling from '../../../services/scheduling/service.ts';
import { breakable } from './broken-connections.ts';

export type World = Awaited<ReturnType<typeof startWorld>>;
/** These services run completely; identity and messaging only as far as the histories need them. */
const WHOLE = { scheduling, dental, billing };
const SCHEMAS = ['scheduling', 'dental', 'billing', 'identity', 'messaging'] as const;
type Schema = (typeof SCHEMAS)[number];
type Whole = keyof typeof WHOLE;
const WHOLES = Object.keys(WHOLE) as Whole[];

type Subscriber = { service: Schema; consumer: Consumer };
export type Delivery = Subscriber & { id: string; subject: string; payload: JsonValue };
type DueJob = { service: Whole; id: string; name: string; data: object };
export type Message = { clinic_id: string; id: string; kind: string; reference: string };

/** A Monday, 08:00 in San Salvador. */
export const START = new Date('2026-06-01T14:00:00Z');
const CLINIC = { name: 'Sonrisa', isActive: true, plan: 'clinica', clinicType: 'dental', timezone: 'America/El_Salvador', country: 'SV', features: [] };

export async function startWorld() {
  const database = await testDatabase();
  const owner = new pg.Client({ connectionString: database.ownerUrl }).on('error', () => {});
  await owner.connect();
  // As named statements, which are planned once, because the same few statements are executed after every step.
  const read = async <Row extends object>(text: string, values: unknown[]): Promise<Row[]> =>
    (await owner.query<Row>({ name: hash('md5', text), text, values })).rows;
  const log = createLog('test', 'silent');
  const clock = manualClock(START);
  const perSchema = <T>(make: (schema: Schema) => T) => Object.fromEntries(SCHEMAS.map((schema) => [schema, make(schema)])) as Record<Schema, T>;
  const dbs = perSchema((schema) => openDb(database.urls(schema), { schema, max: 5, log }));
  const broken = perSchema((schema) => breakable(dbs[schema]));

  const paid = { db: dbs.identity, clock, log, constraints: {} } as unknown as IdentityApp;
  const identity = localTransport([
    standIn(AccessService, { resolveClinic: ({ clinicId }: { clinicId: string }) => ({ ...CLINIC, clinicId }) }),
    standIn(UserService, { listUsers: () => ({ users: [], total: 0 }) }),
    implement(paid, SubscriptionService, { applySubscription }),
  ]);
  const own: Record<string, Implementation[]> = { scheduling: [], dental: [], billing: [], messaging: [] };
  const transports: Record<string, Transport> = { identity, platform: localTransport([]) };
  for (const [name, implementations] of Object.entries(own)) transports[name] = localTransport(implementations);
  const transportTo = (name: string) => transports[name] as Transport;

  let subscribers: Subscriber[] = [];
  /** Names of consumers with ids of the events that they have acknowledged. They survive a restart, as in NATS. */
  const acknowledged = new Set<string>();
  let jobs: { service: Whole; job: Job }[] = [];
  let messaging: ReturnType<typeof createMessaging>;

  /** Creates the services, and with them their state outside the database. */
  async function boot(): Promise<void> {
    [subscribers, jobs] = [[], []];
    for (const service of WHOLES) {
      const module = WHOLE[service];
      const settings = testSettings(module.settings, { ...database.urls(service), PAYMENTS_VARIANTS: JSON.stringify(VARIANTS) });
      const parts = await module.create({
        settings,
        db: dbs[service],
        clock,
        log,
        transportTo: (name: string) => transportFrom(service, transportTo(name)),
      } as unknown as Start<never>);
      for (const loop of parts.loops ?? []) await loop.stop();
      own[service]?.splice(0, Number.POSITIVE_INFINITY, ...parts.implementations);
      transports[service] = localTransport(own[service] ?? []);
      subscribers.push(...parts.consumers.map((consumer) => ({ service, consumer })));
      jobs.push(...parts.jobs.map((job) => ({ service, job })));
    }
    const settings = testSettings(messagingSettings, database.urls('messaging'));
    messaging = createMessaging({
      settings,
      db: dbs.messaging,
      clock,
      log,
      transportTo: (name: string) => transportFrom('messaging', transportTo(name)),
    } as unknown as Start<never>);
    subscribers.push({ service: 'identity', consumer: onSubscriptionChanged(paid) });
    for (const consumer of [...onAppointmentChanged(messaging), onWaitlistOffered(messaging)]) subscribers.push({ service: 'messaging', consumer });
  }
  await boot();
  // Creates the queues. From here on, jobs run only when the caller runs them.
  for (const service of WHOLES) {
    const started = await startJobs(
      jobs.filter((one) => one.service === service).map(({ job }) => job),
      { db: dbs[service], clock, log },
    );
    await started.stop();
  }
  const { rows: tables } = await owner.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.columns
     where column_name = 'clinic_id' and table_schema = any($1) group by 1`,
    [SCHEMAS],
  );
  const wiped = [...tables.map(({ name }) => name), ...SCHEMAS.map((schema) => `${schema}.inbox`), ...WHOLES.map((schema) => `${schema}_jobs.job`)];
  const wipe = `set session_replication_role = replica; ${wiped.map((name) => `delete from ${name}`).join('; ')}; set session_replication_role = origin`;

  // Transports that always call the current services, also after a restart.
  const current = (service: string): Transport => ({
    unary: (...call) => transportTo(service).unary(...call),
    stream: (...call) => transportTo(service).stream(...call),
  });
  return {
    clock,
    broken,
    appointments: createClient(AppointmentService, current('scheduling')),
    doctors: createClient(DoctorService, current('scheduling')),
    drafts: createClient(SlotDraftService, current('scheduling')),
    waitlist: createClient(WaitlistService, current('scheduling')),
    analytics: createClient(AnalyticsService, current('scheduling')),
    payments: createClient(PaymentPlanService, current('dental')),
    provider: createClient(PaymentEventService, current('billing')),
    /** Has the effect of restarting all processes. */
    restart: boot,
    /** Deletes all data of earlier clinics, and creates a trial clinic with a chat number. Returns its id. */
    async begin(): Promise<string> {
      await owner.query(wipe);
      acknowledged.clear();
      clock.set(START);
      const clinicId = randomUUID();
      await owner.query(`insert into messaging.channels (clinic_id, status, phone_number_id) values ($1::uuid, 'active', $1::text)`, [clinicId]);
      await owner.query(
        `insert into identity.clinics (clinic_id, slug, name, timezone, clinic_type, subscription_plan, subscription_expires_at, invite_code_id, created_at, updated_at)
         values ($1::uuid, $1::text, $2, $3, $4, 'trial', $5, $1::uuid, $6, $6)`,
        [clinicId, CLINIC.name, CLINIC.timezone, CLINIC.clinicType, new Date(START.getTime() + 14 * 86_400_000), START],
      );
      return clinicId;
    },
    query: <Row extends object>(text: string, values: unknown[] = []) => read<Row>(text, values),
    /** The events that each consumer has not acknowledged yet. */
    async undelivered(): Promise<Delivery[]> {
      const known = subscribers.map(({ service, consumer }) => [nameOf(service, consumer), consumer.producer, eventToken(consumer.event)] as const);
      const rows = await read<Omit<Delivery, keyof Subscriber> & { nth: number }>(findUndelivered, [
        ...[0, 1, 2].map((at) => known.map((one) => one[at])),
        [...acknowledged],
      ]);
      return rows.map(({ nth, ...event }) => ({ ...(subscribers[nth - 1] as Subscriber), ...event }));
    },
    async deliver({ service, consumer, id, subject, payload }: Delivery): Promise<void> {
      const envelope = { id, subject, clinicId: subject.split('.')[1] ?? '' };
      await handleOnce(dbs[service], consumer, [{ event: fromJson(consumer.event, payload, { ignoreUnknownFields: true }), envelope }]);
      acknowledged.add(`${nameOf(service, consumer)} ${id}`);
    },
    async dueJobs(): Promise<DueJob[]> {
      const found: DueJob[] = [];
      for (const service of WHOLES) {
        const rows = await read<Omit<DueJob, 'service'>>(
          `select id, name, data from ${service}_jobs.job where state = 'created' and (start_after <= $1 or start_after = created_on) order by start_after, id`,
          [clock.now()],
        );
        found.push(...rows.map((row) => ({ service, ...row })));
      }
      return found;
    },
    /** Runs a job. If it fails it stays queued, as in pg-boss. */
    async run({ service, id, name, data }: DueJob): Promise<void> {
      await jobs.find((one) => one.service === service && one.job.name === name)?.job.work(data);
      await owner.query(`delete from ${service}_jobs.job where id = $1`, [id]);
    },
    /** Runs a scheduled job. */
    async runScheduled(name: string): Promise<void> {
      await jobs.find(({ job }) => job.name === name)?.job.work({});
    },
    sendReminders: () => sendDueReminders(messaging),
    /** Messages that wait to be sent. */
    queued: () =>
      read<Message>(`select clinic_id, id, kind, reference from messaging.outbound where state = 'queued' and next_attempt_at <= $1 order by id`, [
        clock.now(),
      ]),
    /** The message as it would be sent now: its content, or the reason why it is not sent. */
    prepare: async (message: Message) => prepareMessage(messaging, prepares, await messaging.clinics.get(message.clinic_id), message as never),
    async close(message: Message, state: 'sent' | 'dropped'): Promise<void> {
      await owner.query('update messaging.outbound set state = $2 where id = $1', [message.id, state]);
    },
    async stop(): Promise<void> {
      await Promise.all(Object.values(dbs).map(closeDb));
      await owner.end();
      await database.drop();
    },
  };
}

const union = (select: (schema: Schema) => string) => SCHEMAS.map(select).join(' union all ');
const nameOf = (service: Schema, consumer: Consumer) => `${service}-${consumer.name}`;
const findUndelivered = `
  with events as (${union((schema) => `select '${schema}' as producer, split_part(subject, '.', 4) as token, id, subject, payload from ${schema}.outbox`)})
  select nth::int, id, subject, payload
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality c (name, producer, token, nth)
  join events using (producer, token)
  where c.name || ' ' || events.id <> all ($4::text[])
  order by nth, id`;

/** An implementation that responds with `answers`, and with NOT_FOUND to other calls. */
function standIn<S extends DescService>(contract: S, answers: Record<string, (request: never) => unknown>): Implementation {
  const handlers = contract.methods.map(({ localName }) => [
    localName,
    async (_: unknown, request: never) => answers[localName]?.(request) ?? fail('NOT_FOUND'),
  ]);
  return implement(
    { log: createLog('test', 'silent'), constraints: {} },
    contract,
    Object.fromEntries(handlers) as Handlers<{ log: Log; constraints: object }, S>,
  );
}
