// Scheduling, dental and messaging with their real handlers, consumers and jobs on one database, without anything that runs by itself: no
// relay, no NATS, no timers. Whoever holds the world decides what time it is, which event is delivered next and how often, and which job runs.
import { randomUUID } from 'node:crypto';
import { type DescMessage, type DescService, fromJson, type JsonValue } from '@bufbuild/protobuf';
import { manualClock } from '@clinic/lib/clock/clock.ts';
import { closeDb, type Db, openDb } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { type Consumer, handleOnce } from '@clinic/lib/events/events.ts';
import { eventToken } from '@clinic/lib/events/outbox.ts';
import { type Job, startJobs } from '@clinic/lib/jobs/jobs.ts';
import { speakingAs } from '@clinic/lib/rpc/context.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { type Handlers, type Implementation, implement } from '@clinic/lib/rpc/pipeline.ts';
import type { Start } from '@clinic/lib/runtime/service.ts';
import { createLog, type Log } from '@clinic/lib/telemetry/log.ts';
import { testDatabase } from '@clinic/lib/testing/database.ts';
import { testSettings } from '@clinic/lib/testing/settings.ts';
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { AnalyticsService } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { createClient, type Transport } from '@connectrpc/connect';
import pg from 'pg';
import dental from '../../../services/dental/service.ts';
import { createApp as createMessaging } from '../../../services/messaging/app.ts';
import { prepareMessage } from '../../../services/messaging/outbound/prepare.ts';
import { onAppointmentChanged } from '../../../services/messaging/reminders/on-appointment-changed.ts';
import { onWaitlistOffered } from '../../../services/messaging/reminders/on-waitlist-offered.ts';
import { prepares } from '../../../services/messaging/reminders/prepares.ts';
import { sendDueReminders } from '../../../services/messaging/reminders/send-reminders.ts';
import { settings as messagingSettings } from '../../../services/messaging/settings.ts';
import scheduling from '../../../services/scheduling/service.ts';
import { breakable } from './broken-connections.ts';

export type World = Awaited<ReturnType<typeof startWorld>>;
type Subscriber = { service: 'scheduling' | 'dental' | 'messaging'; consumer: Consumer };
export type Delivery = Subscriber & { id: string; subject: string; payload: JsonValue };
export type DueJob = { service: 'scheduling' | 'dental'; id: string; name: string; data: object };
export type Message = { clinic_id: string; id: string; kind: string; reference: string };

/** A Monday, 08:00 in San Salvador. */
export const START = new Date('2026-06-01T14:00:00Z');
const CLINIC = { name: 'Sonrisa', isActive: true, plan: 'clinica', clinicType: 'dental', timezone: 'America/El_Salvador', country: 'SV', features: [] };

export async function startWorld() {
  const database = await testDatabase();
  const owner = new pg.Client({ connectionString: database.ownerUrl }).on('error', () => {});
  await owner.connect();
  const log = createLog('test', 'silent');
  const clock = manualClock(START);
  const opened = (schema: string): Db => openDb(database.urls(schema), { schema, max: 5, log });
  const dbs = { scheduling: opened('scheduling'), dental: opened('dental'), messaging: opened('messaging') };
  const broken = { scheduling: breakable(dbs.scheduling), dental: breakable(dbs.dental), messaging: breakable(dbs.messaging) };

  const identity = localTransport([
    standIn(AccessService, { resolveClinic: ({ clinicId }: { clinicId: string }) => ({ ...CLINIC, clinicId }) }),
    standIn(UserService, { listUsers: () => ({ users: [], total: 0 }) }),
  ]);
  const own: Record<string, Implementation[]> = { scheduling: [], dental: [], messaging: [] };
  const transports: Record<string, Transport> = { identity, platform: localTransport([]) };
  for (const [name, implementations] of Object.entries(own)) transports[name] = localTransport(implementations);
  const transportTo = (name: string) => transports[name] as Transport;

  let subscribers: Subscriber[] = [];
  let jobs: { service: DueJob['service']; job: Job }[] = [];
  let messaging: ReturnType<typeof createMessaging>;

  /** Makes the services, and with them everything that they remember outside of the database. */
  async function boot(): Promise<void> {
    [subscribers, jobs] = [[], []];
    for (const [service, module] of [
      ['scheduling', scheduling],
      ['dental', dental],
    ] as const) {
      const settings = testSettings(module.settings, database.urls(service));
      const parts = await module.create({
        settings,
        db: dbs[service],
        clock,
        log,
        transportTo: (name: string) => speakingAs(service, transportTo(name)),
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
      transportTo: (name: string) => speakingAs('messaging', transportTo(name)),
    } as unknown as Start<never>);
    for (const consumer of [...onAppointmentChanged(messaging), onWaitlistOffered(messaging)]) subscribers.push({ service: 'messaging', consumer });
  }
  await boot();
  // Creates the queues; from here on only the world runs jobs.
  for (const service of ['scheduling', 'dental'] as const) {
    const started = await startJobs(
      jobs.filter((one) => one.service === service).map(({ job }) => job),
      { db: dbs[service], clock, log },
    );
    await started.stop();
  }
  const { rows: tables } = await owner.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.columns
     where column_name = 'clinic_id' and table_schema in ('scheduling', 'dental', 'messaging') group by 1`,
  );
  const wiped = [...tables.map(({ name }) => name), 'scheduling.inbox', 'dental.inbox', 'messaging.inbox', 'scheduling_jobs.job', 'dental_jobs.job'];
  const wipe = `set session_replication_role = replica; ${wiped.map((name) => `delete from ${name}`).join('; ')}; set session_replication_role = origin`;

  // Clients that always call the services as they were made last.
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
    /** What a restart of all processes does. */
    restart: boot,
    /** Everything of earlier clinics is deleted; the new one has a chat number. */
    async begin(): Promise<string> {
      await owner.query(wipe);
      clock.set(START);
      const clinicId = randomUUID();
      await owner.query(`insert into messaging.channels (clinic_id, status, phone_number_id) values ($1::uuid, 'active', $1::text)`, [clinicId]);
      return clinicId;
    },
    async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
      return (await owner.query<Row>(text, values)).rows;
    },
    /** What each consumer has not handled yet. */
    async undelivered(): Promise<Delivery[]> {
      const found: Delivery[] = [];
      for (const producer of ['scheduling', 'dental']) {
        const { rows } = await owner.query<Omit<Delivery, keyof Subscriber>>(`select id, subject, payload from ${producer}.outbox order by id`);
        for (const one of subscribers.filter(({ consumer }) => consumer.producer === producer)) {
          const handled = await owner.query<{ event_id: string }>(`select event_id from ${one.service}.inbox where consumer = $1`, [one.consumer.name]);
          const known = new Set(handled.rows.map(({ event_id }) => event_id));
          const token = `.${eventToken(one.consumer.event as DescMessage)}`;
          found.push(...rows.filter(({ id, subject }) => subject.endsWith(token) && !known.has(id)).map((row) => ({ ...one, ...row })));
        }
      }
      return found;
    },
    async deliver({ service, consumer, id, subject, payload }: Delivery): Promise<string> {
      const envelope = { id, subject, clinicId: subject.split('.')[1] ?? '' };
      return handleOnce(dbs[service], consumer, fromJson(consumer.event, payload, { ignoreUnknownFields: true }), envelope);
    },
    async dueJobs(): Promise<DueJob[]> {
      const found: DueJob[] = [];
      for (const service of ['scheduling', 'dental'] as const) {
        const { rows } = await owner.query<Omit<DueJob, 'service'>>(
          `select id, name, data from ${service}_jobs.job where state = 'created' and start_after <= $1 order by start_after, id`,
          [clock.now()],
        );
        found.push(...rows.map((row) => ({ service, ...row })));
      }
      return found;
    },
    /** A job that fails stays, as pg-boss repeats it. */
    async run({ service, id, name, data }: DueJob): Promise<void> {
      await jobs.find((one) => one.service === service && one.job.name === name)?.job.work(data);
      await owner.query(`delete from ${service}_jobs.job where id = $1`, [id]);
    },
    /** A job that a schedule runs. */
    async runScheduled(name: string): Promise<void> {
      await jobs.find(({ job }) => job.name === name)?.job.work({});
    },
    sendReminders: () => sendDueReminders(messaging),
    /** Messages that wait to be sent. */
    queued: async () =>
      (
        await owner.query<Message>(
          `select clinic_id, id, kind, reference from messaging.outbound where state = 'queued' and next_attempt_at <= $1 order by id`,
          [clock.now()],
        )
      ).rows,
    /** Writes the message as it would be sent now: the content, or why it is not sent. */
    prepare: (message: Message) => prepareMessage(messaging, prepares, message as never),
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

/** An implementation that answers as given, and otherwise with NOT_FOUND. */
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
