// The tables that move with a clinic, from the catalogue of the database: every table with a clinic_id, and the inboxes and jobs, which refer to
// the clinic in another way.
import { jobsSchema } from '@clinic/lib/db/jobs-schema.ts';
import type pg from 'pg';
import { schemaSources } from '../../schemas.ts';
import { findTables } from '../backup/catalogue.ts';

export type MovedTable = {
  schema: string;
  /** The quoted name with its schema. */
  name: string;
  columns: string[];
  /** SQL condition for the clinic's rows; $1 is the clinic. */
  where: string;
  /** An identity column. The target assigns its values, because they are unique across all clinics. */
  numbered?: string;
  /** Columns that differ in the target. */
  changed: readonly string[];
  /** Whether the rows remain in the source. */
  copied?: true;
};

/** Tables that are not moved, and why the clinic does not need their rows in the target. */
export const NOT_MOVED: Record<string, string> = {
  daily_runs: 'contains the days on which jobs of this installation ran',
  published_stream: 'refers to the event stream of this installation',
  maintenance: 'belongs to this installation',
  operator_notices: 'are addressed to the users of this installation',
  recovery_requests: 'are handled within seconds',
  sign_in_throttles: 'failed sign-ins are counted again',
  usage_reports: 'recognises repeated reports of this installation',
  chat_events: 'deliveries name no clinic: late ones are moved by their number',
  mails: 'the source sends the mails that it has stored',
  demo_requests: 'belong to operators',
  invite_codes: 'belong to operators; the code that the clinic has used stays in the list of the source',
  'jobs: queue': 'is filled by the processes',
  'jobs: schedule': 'is filled by the processes',
  'jobs: subscription': 'is not used',
  'jobs: bam': 'contains the progress of pg-boss itself',
  'jobs: job_dependency': 'is not used',
};

/** Columns whose values are copied from an identity column of another table of the schema. */
export const FOLLOWS: Record<string, { column: string; table: string; key: string }> = {
  'messaging."turns"': { column: 'seq', table: 'messages', key: 'message_id' },
  'messaging."sends"': { column: 'seq', table: 'outbound', key: 'id' },
};

const CHANGED: Record<string, string[]> = {
  // Events are published again: consumers in the target skip those that were handled in the source.
  outbox: ['published_at'],
  clinic_limits: ['read_only'],
  // When a clinic returns to an installation, the rows that it left there remain.
  inbox: ['handled_at'],
};

const IDENTITIES = `
  select attrelid::regclass::text as table, attname::text as column from pg_attribute a join pg_class c on c.oid = a.attrelid
  where attidentity <> '' and c.relkind in ('r', 'p') and not c.relispartition`;

/** The tables in the order in which they are loaded. */
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

/** The data of a job contains its clinic, or a payment event of the clinic. */
const jobsOf = (schema: string) =>
  `state not in ('completed', 'cancelled') and (data->>'clinicId' = $1::text${
    schema === jobsSchema('billing') ? " or data->>'eventId' in (select id::text from billing.payment_events where clinic_id = $1::uuid)" : ''
  })`;
