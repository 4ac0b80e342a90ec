// Every projection follows every event that changes its data. Each consumer of each service handles a sample of its event, and the statements that it
// executes show which tables the event reaches.
import { randomUUID } from 'node:crypto';
import { create, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import { stopAll } from '@clinic/lib/background/stop.ts';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { Batch } from '@clinic/lib/db/batch.ts';
import { closeDb, openDb } from '@clinic/lib/db/db.ts';
import type { Consumer } from '@clinic/lib/events/events.ts';
import { handleOnce } from '@clinic/lib/events/inbox.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import type { Transport } from '@connectrpc/connect';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { loadModules } from '../dev/launch/modules.ts';
import { withStoredSecrets } from '../dev/launch/secrets.ts';
import { readAllSettings } from '../dev/launch/settings.ts';
import { tempFolder } from '../dev/temp-folder.ts';
import { generated } from './persisted/services.ts';

/** The data that each event changes. New events must be added here. */
const CHANGES: Record<string, string[]> = {
  AppointmentBooked: ['appointment'],
  AppointmentRescheduled: ['appointment time', 'appointment instant', 'appointment doctor'],
  AppointmentsUpdated: ['appointment instant'],
  AppointmentStatusChanged: ['appointment status'],
  AppointmentReassigned: ['appointment patient'],
  AppointmentCheckedIn: ['arrival'],
  ClinicRegistered: ['clinic', 'plan', 'time zone', 'suspension', 'invite code'],
  ClinicUpdated: ['plan', 'time zone', 'suspension'],
  SubscriptionExpiring: ['warning'],
  AccessChanged: ['access'],
  PatientCreated: ['patient', 'patient contact'],
  PatientUpdated: ['patient contact'],
  PatientsChanged: ['patient', 'patient contact'],
  PatientsMerged: ['patient identity'],
  PatientsUnmerged: ['patient identity'],
  WaitlistEntryUpdated: ['waitlist entry'],
  WaitlistOffered: ['waitlist offer'],
  WaitlistOfferClosed: ['waitlist offer end'],
  OrderChanged: ['order'],
  SubscriptionChanged: ['paid subscription'],
  TaxDocumentChanged: ['tax document'],
  TreatmentPlanUpdated: ['treatment plan'],
  PaymentPlanUpdated: ['payment plan'],
  PaymentRecorded: ['payment'],
  PaymentVoided: ['void'],
  PaymentReminderDue: ['payment reminder'],
  RecallMessageDue: ['recall message'],
  PrescriptionSent: ['prescription message'],
  FormSent: ['form message'],
  OutboundMessageUpdated: ['delivery of a message'],
  PatientReplied: ['answer to a message'],
  ClinicChannelUpdated: ['chat bot'],
  ConversationUpdated: ['conversation'],
  DemoAccepted: ['demo invitation'],
};

/** Tables with data that another service or module owns, and the data that they contain. */
const PROJECTIONS: Record<string, string[]> = {
  'platform.clinics_seen': ['clinic', 'plan', 'time zone', 'suspension'],
  'platform.invite_codes': ['invite code'],
  'platform.appointments_seen': ['appointment', 'appointment time', 'appointment status'],
  'platform.orders_seen': ['order'],
  'identity.clinics': ['paid subscription', 'chat bot'],
  'scheduling.clinics': ['clinic', 'time zone'],
  'scheduling.analytics_days': ['appointment', 'appointment time', 'appointment doctor', 'appointment status'],
  'scheduling.analytics_hours': ['appointment', 'appointment time', 'appointment doctor', 'appointment status'],
  'scheduling.analytics_patient_days': ['appointment patient', 'appointment status'],
  'scheduling.analytics_payment_plans': ['payment plan', 'appointment doctor', 'appointment time', 'treatment plan', 'time zone'],
  'scheduling.analytics_treatments': ['treatment plan', 'time zone'],
  'scheduling.analytics_documents': ['tax document'],
  'scheduling.commission_voids': ['void'],
  'dental.clinic_zones': ['clinic', 'time zone'],
  'dental.visit_states': ['appointment status'],
  'dental.treatment_plans': ['appointment status'],
  'dental.patient_merges': ['patient identity'],
  'dental.recall_clinics': ['clinic', 'plan', 'suspension'],
  'dental.recall_patients': ['patient', 'patient contact'],
  'dental.recall_visits': ['appointment', 'appointment time', 'appointment instant', 'appointment status', 'appointment patient'],
  'dental.recall_contacts': ['appointment', 'delivery of a message', 'answer to a message'],
  'billing.dte_patient_merges': ['patient identity'],
  'messaging.conversations': ['patient', 'patient contact'],
  'messaging.reminders': ['appointment', 'appointment instant', 'appointment status'],
};

/** Consumers that do not update a projection, but send a message or add to a ledger. */
const REACTIONS = {
  'messaging waitlist-offered': 'WaitlistOffered',
  'messaging payment-reminder-due': 'PaymentReminderDue',
  'messaging recall-message-due': 'RecallMessageDue',
  'messaging prescription-sent': 'PrescriptionSent',
  'messaging form-sent': 'FormSent',
  'messaging demo-accepted': 'DemoAccepted',
  'scheduling waitlist-offer-unsent': 'OutboundMessageUpdated',
  'scheduling commissions-of-payments': 'PaymentRecorded',
};

type Reached = { service: string; consumer: string; event: string; tables: string[] };
let database: TestDatabase;
let reached: Reached[];

beforeAll(async () => {
  database = await testDatabase();
  const modules = await loadModules();
  const tables = await tableNames();
  const dataDir = tempFolder('projections');
  const all = readAllSettings(modules, { ...withStoredSecrets({}, dataDir), DATA_DIR: dataDir });
  reached = [];
  for (const module of modules) {
    const log = createLog(module.name, 'silent');
    const db = openDb(database.urls(module.name), { schema: module.name, max: 2, log });
    const settings = { ...all, ...database.urls(module.name) };
    const parts = await module.create({ settings, db, clock: systemClock, log, transportTo: () => answering });
    const own = tables.get(module.name) ?? [];
    // Webhooks store the events that they send, which is not a projection.
    for (const consumer of (parts.consumers ?? []).filter(({ name }) => !name.startsWith('webhooks-'))) {
      const text = await statementsOf(() => handleOnce(db, consumer, [{ event: sampleOf(consumer.event), envelope: envelope(consumer) }]));
      const hit = own.filter((table) => new RegExp(`\\b${table}\\b`).test(text)).map((table) => `${module.name}.${table}`);
      reached.push({ service: module.name, consumer: consumer.name, event: consumer.event.name, tables: hit });
    }
    await stopAll([{ stop: () => closeDb(db) }, ...(parts.loops ?? [])]);
  }
});
afterAll(() => database?.drop());

test('every event is listed with the data that it changes', async () => {
  const events = (await generated<DescMessage>('clinic/events/**', 'message')).map(({ name }) => name).filter((name) => !name.endsWith('State'));
  expect(Object.keys(CHANGES).toSorted()).toEqual(events.toSorted());
});

test.each(Object.entries(PROJECTIONS))('%s follows every event that changes its data', (table, shows) => {
  const needed = Object.keys(CHANGES).filter((event) => CHANGES[event]?.some((change) => shows.includes(change)));
  expect(needed.length).toBeGreaterThan(0);
  const following = reached.filter(({ tables }) => tables.includes(table)).map(({ event }) => event);
  expect(needed.filter((event) => !following.includes(event))).toEqual([]);
});

test('every other consumer is listed too', () => {
  const others = reached.filter(({ tables }) => !tables.some((table) => table in PROJECTIONS));
  expect(Object.fromEntries(others.map(({ service, consumer, event }) => [`${service} ${consumer}`, event]))).toEqual(REACTIONS);
});

async function tableNames(): Promise<Map<string, string[]>> {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  const { rows } = await client.query<{ schema: string; name: string }>('select schemaname as schema, tablename as name from pg_tables');
  await client.end();
  return new Map([...Map.groupBy(rows, ({ schema }) => schema)].map(([schema, own]) => [schema, own.map(({ name }) => name)]));
}

/** The text of all statements that the work executes. A handler may fail because its sample is not a real record; its statements until then count. */
async function statementsOf(work: () => Promise<unknown>): Promise<string> {
  const add = jest.spyOn(Batch.prototype, 'add');
  await work().catch(() => {});
  const text = add.mock.calls.map(([statement]) => statement.text).join('\n');
  add.mockRestore();
  return text;
}

const CLINIC = randomUUID();
const envelope = ({ producer }: Consumer) => ({ id: randomUUID(), clinicId: CLINIC, subject: `clinic.${CLINIC}.${producer}.sample` });

/** A service that responds to every call with a sample. */
const answering = {
  unary: async (method: { parent: unknown; output: DescMessage }) => ({
    stream: false,
    service: method.parent,
    method,
    header: new Headers(),
    trailer: new Headers(),
    message: sampleOf(method.output),
  }),
} as unknown as Transport;

/** Values of fields whose text must have a certain format. */
const TEXTS: Record<string, string> = {
  plan: 'pro',
  appointment_date: '2026-06-01',
  previous_date: '2026-05-01',
  issued_on: '2026-06-01',
  next_due_date: '2026-07-01',
  month: '2026-06',
  start_time: '10:00',
  phone: '+50370001234',
  kind: 'recall',
  country: 'SV',
};
/** Values of `status` by message. */
const STATUSES: Record<string, string> = {
  AppointmentState: 'completed',
  SubscriptionChanged: 'active',
  OutboundMessageUpdated: 'delivered',
  LookupAppointment: 'confirmed',
};

function sampleOf(message: DescMessage, depth = 0): Message {
  const values = message.fields
    .filter((field) => depth < 4 && !(field.oneof && field.oneof.fields[0] !== field))
    .map((field) => [field.localName, sampleOfField(message, field, depth)]);
  return create(message, Object.fromEntries(values));
}

function sampleOfField(message: DescMessage, field: DescField, depth: number): unknown {
  if (field.fieldKind === 'list') return [field.listKind === 'message' ? sampleOf(field.message, depth + 1) : scalarOf(message, field.name, field.scalar)];
  if (field.fieldKind === 'map') return {};
  if (field.fieldKind === 'message')
    return field.message.typeName === 'google.protobuf.Timestamp'
      ? { seconds: BigInt(Math.floor(Date.now() / 1000) + 86_400), nanos: 0 }
      : sampleOf(field.message, depth + 1);
  if (field.fieldKind === 'enum') return field.enum.values[0]?.number;
  return scalarOf(message, field.name, field.scalar);
}

let last = 0;

/** Numbers increase, so that each revision is new, and each time zone differs from the previous one. */
function scalarOf(message: DescMessage, name: string, scalar: ScalarType | undefined): unknown {
  last += 1;
  if (scalar === ScalarType.BOOL) return name === 'is_active' || name.startsWith('has_');
  if (scalar === ScalarType.BYTES) return new Uint8Array();
  if (scalar !== ScalarType.STRING) return scalar === ScalarType.INT64 ? BigInt(last) : last;
  if (/(^|_)ids?$/.test(name) || name === 'reference') return randomUUID();
  if (name === 'timezone') return `Etc/GMT+${1 + (last % 12)}`;
  return (name === 'status' ? STATUSES[message.name] : TEXTS[name]) ?? 'sample';
}
