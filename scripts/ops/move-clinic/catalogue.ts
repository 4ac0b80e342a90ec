// What moves with a clinic, read from the catalogue of the database: every table with a clinic_id, and two that refer to the clinic otherwise.
import { jobsSchema } from '@clinic/lib/db/jobs-schema.ts';
import type pg from 'pg';
import { schemaSources } from '../../schemas.ts';
import { findTables } from '../backup/catalogue.ts';

export type MovedTable = {
  schema: string;
  /** With its schema, quoted. */
  name: string;
  columns: string[];
  /** SQL condition for the clinic's rows; $1 is the clinic. */
  where: string;
  /** A column that is numbered by the target, because numbers are counted over all clinics. */
  numbered?: string;
  /** Columns that differ in the target. */
  changed: readonly string[];
  /** Whether the source keeps its rows. */
  copied?: true;
};

/** Tables of no clinic, and why the moved clinic does not need their rows. */
export const NOT_MOVED: Record<string, string> = {
  daily_runs: 'the days on which jobs of this installation ran',
  published_stream: 'the event stream of this installation',
  maintenance: 'of this installation',
  operator_notices: 'to the users of this installation',
  recovery_requests: 'handled within seconds',
  sign_in_throttles: 'failed sign-ins are counted again',
  usage_reports: 'recognises repeated reports of this installation',
  chat_events: 'deliveries name no clinic: those that came too late are moved by number',
  mails: 'the source sends the mails that it has stored',
  demo_requests: 'belong to operators',
  invite_codes: 'belong to operators; the one that the clinic has used stays in the list of the source',
  'jobs: queue': 'created by the processes',
  'jobs: schedule': 'created by the processes',
  'jobs: subscription': 'not used',
  'jobs: bam': 'progress of pg-boss itself',
  'jobs: job_dependency': 'not used',
};

/** Numbers that follow those of another table of the schema. */
export const FOLLOWS: Record<string, { column: string; table: string; key: string }> = {
  'messaging."turns"': { column: 'seq', table: 'messages', key: 'message_id' },
  'messaging."sends"': { column: 'seq', table: 'outbound', key: 'id' },
};

const CHANGED: Record<string, string[]> = {
  // Published again: consumers of the target skip what those of the source have handled.
  outbox: ['published_at'],
  clinic_limits: ['read_only'],
  // A clinic that returns finds the rows that it left.
  inbox: ['handled_at'],
};

const IDENTITIES = `
  select attrelid::regclass::text as table, attname::text as column from pg_attribute a join pg_class c on c.oid = a.attrelid
  where attidentity <> '' and c.relkind in ('r', 'p') and not c.relispartition`;

/** In the order in which they are loaded. */
export async function findMovedTables(client: pg.Client): Promise<MovedTable[]> {
  const numbered = new Map((await client.query<{ table: string; column: string }>(IDENTITIES)).rows.map(({ table, column }) => [table, column]));
  const outboxes = schemaSources().map(({ schema }) => `select id from ${schema}.outbox where clinic_id = $1`);
  const tables = (await findTables(client)).flatMap(({ schema, table, columns }): MovedTable[] => {
    const name = `${schema}."${table}"`;
    const identity = numbered.get(`${schema}.${table}`);
    const follows = FOLLOWS[name];
    const changed = [...(CHANGED[table] ?? []), ...(identity ? [identity] : []), ...(follows ? [follows.column] : [])];
    const found = { schema, name, columns, changed, ...(identity && { numbered: identity }) };
    if (isJobs(schema)) return table === 'job' ? [{ ...found, where: jobsOf(schema) }] : [];
    if (table === 'inbox') return [{ ...found, where: `event_id in (${outboxes.join(' union all ')})`, copied: true }];
    return columns.includes('clinic_id') ? [{ ...found, where: 'clinic_id = $1' }] : [];
  });
  return tables.sort((a, b) => Number(a.name in FOLLOWS) - Number(b.name in FOLLOWS));
}

const isJobs = (schema: string) => schemaSources().some((source) => source.jobs && jobsSchema(source.schema) === schema);

/** Jobs name their clinic, or the payment event of a clinic. */
const jobsOf = (schema: string) =>
  `state not in ('completed', 'cancelled') and (data->>'clinicId' = $1::text${
    schema === jobsSchema('billing') ? " or data->>'eventId' in (select id::text from billing.payment_events where clinic_id = $1::uuid)" : ''
  })`;
