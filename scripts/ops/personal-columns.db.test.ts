// Which columns remain when a patient or a clinic is erased: a new column of a row that remains must be replaced, or be added here if it names nobody.
import type { PersonalTable } from '@clinic/lib/privacy/personal-data.ts';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withClient } from '../database.ts';
import { SERVICES } from '../schemas.ts';
import { personalDataOf } from './personal-data.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const COLUMNS = `
  select table_schema || '.' || table_name as name, array_agg(column_name::text order by column_name) as columns from information_schema.columns
  where table_schema = any($1) and data_type <> all($2) group by 1`;
/** Types whose values name nobody. A date may be a date of birth. */
const IMPERSONAL = ['uuid', 'boolean', 'integer', 'smallint', 'bigint', 'numeric', 'timestamp with time zone', 'time without time zone', 'tstzrange'];

/** The columns of rows that `ruleOf` leaves, by table. It returns undefined for a table without rows of the person or the clinic. */
async function listRemaining(ruleOf: (table: PersonalTable) => PersonalTable['erase'] | 'keep'): Promise<Record<string, string>> {
  const { rows } = await withClient(database.ownerUrl, (client) => client.query<{ name: string; columns: string[] }>(COLUMNS, [SERVICES, IMPERSONAL]));
  const columnsOf = new Map(rows.map(({ name, columns }) => [name, columns]));
  const remaining: Record<string, string> = {};
  for (const service of SERVICES)
    for (const table of (await personalDataOf(service)).tables) {
      const [name, rule] = [`${service}.${table.table}`, ruleOf(table)];
      const left = (columnsOf.get(name) ?? []).filter((column) => rule === 'keep' || (typeof rule === 'object' && !(column in rule)));
      // Tax documents remain as a whole.
      if (left.length > 0 && !name.startsWith('billing.dte_')) remaining[name] = left.join(' ');
      else delete remaining[name]; // the last of several rules for a table
    }
  return remaining;
}

test('of a patient', async () => {
  const ruleOf = ({ ofPatient, search, erase }: PersonalTable) => (ofPatient && !search ? (erase ?? 'keep') : undefined); // plain-words: keep is a value
  expect(await listRemaining(ruleOf)).toEqual({
    'dental.payments': 'payment_method',
    'dental.payment_instalments': 'due_date',
    'dental.payment_plans': 'next_due_date remind_since reminded_month status',
    'dental.recall_contacts': 'day failure last_visit status',
    'dental.recall_visits': 'appointment_date status',
    'scheduling.analytics_patient_days': 'date previous_date',
    'scheduling.analytics_payment_plans': 'instalments payments status', // amounts and dates
    'scheduling.analytics_treatments': 'opened_on status steps', // amounts and codes of procedures
    'scheduling.appointments': 'appointment_date idempotency_key series_date source status',
    'scheduling.commission_entries': 'date kind rule_type',
  });
});

test('of a clinic', async () => {
  const ruleOf = ({ ofClinic, withClinic }: PersonalTable) => (ofClinic === null ? undefined : (withClinic ?? 'delete'));
  expect(await listRemaining(ruleOf)).toEqual({
    'billing.orders': 'order_id status',
    'platform.demo_requests': 'status',
    'platform.invite_codes': 'code plan source',
    'platform.orders_seen': 'order_id status',
  });
});
