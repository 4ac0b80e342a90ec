// A clinic moves between two databases without losing data, even when the command is killed at any step or others write concurrently.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { newContentKey } from '@clinic/lib/crypto/content.ts';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type pg from 'pg';
import { encryptKey } from '../../../services/scheduling/files/content-keys.ts';
import { clinicId, describe, doctorId, patientId } from '../../bench/dataset.ts';
import { loadDataset } from '../../bench/load.ts';
import { tempFolder } from '../../dev/temp-folder.ts';
import { findTables } from '../backup/catalogue.ts';
import { openOps } from '../command.ts';
import { moveClinic } from '../move-clinic.ts';
import { FOLLOWS, findMovedTables, NOT_MOVED } from './catalogue.ts';
import { type Contents, contentsOf } from './copy.ts';
import { connect, finishLoading, lockMove, type Move, moveRows, placeOf, type Step } from './move.ts';

const data = describe({ clinics: 2, appointments: 200, today: '2026-11-20' });
const [CLINIC, OTHER] = [clinicId(0), clinicId(1)];
const databases: TestDatabase[] = [];
let [source, target]: pg.Client[] = [];

async function fresh(): Promise<[pg.Client, TestDatabase]> {
  const database = await testDatabase();
  databases.push(database);
  return [await connect(database.ownerUrl), database];
}

/** Adds a conversation with a message that waits for the bot and one that waits to be sent, a handled event, a job and a row of the audit log. */
async function addMessages(client: pg.Client, clinic: string): Promise<void> {
  const [conversation, event] = [randomUUID(), randomUUID()];
  await client.query(`insert into messaging.conversations (clinic_id, id, phone) values ('${clinic}', '${conversation}', '+50370001111')`);
  for (let n = 0; n < 3; n++) {
    const id = randomUUID();
    await client.query(
      `insert into messaging.messages (clinic_id, id, conversation_id, direction, sender, type, content, status, handled_at, created_at)
      values ('${clinic}', '${id}', '${conversation}', 'in', 'patient', 'text', '{"text": "${n}"}', 'received', now(), now())`,
    );
    if (n > 0) continue;
    await client.query(
      `insert into messaging.turns (clinic_id, conversation_id, seq, message_id, kind, due_at)
      select clinic_id, conversation_id, seq, id, 'answer', now() from messaging.messages where id = '${id}'`,
    );
  }
  await client.query(
    `insert into messaging.outbound (clinic_id, id, kind, phone, sender, content, next_attempt_at, created_at, updated_at)
    values ('${clinic}', '${randomUUID()}', 'bot', '+50370001111', 'bot', '{}', now(), now(), now())`,
  );
  await client.query(
    `insert into scheduling.outbox (id, clinic_id, subject, payload, published_at) values ('${event}', '${clinic}', 'clinic.x', '{}', now() - interval '1 minute')`,
  );
  await client.query(`insert into messaging.inbox (consumer, event_id) values ('reminders', '${event}')`);
  // The job is added without its queue, which a process would create.
  await client.query(`
    begin; set local session_replication_role = replica;
    insert into scheduling_jobs.job (name, data, policy) values ('expire-offer', '{"clinicId": "${clinic}"}', 'standard'); commit`);
  await client.query(
    `insert into identity.audit_log (clinic_id, id, actor_kind, actor_id, action, entity, entity_id, ip, request_id)
    values ('${clinic}', '${event}', 'user', 'u', 'clinic.updated', 'clinic', 'c', '::1', 'r')`,
  );
  await client.query(`insert into identity.clinic_limits (clinic_id, read_only, updated_at) values ('${clinic}', true, now())`);
}

beforeAll(async () => {
  process.env.ENCRYPTION_KEYS = `k1.*:${Buffer.alloc(32).toString('base64')}`;
  const [[from, fromDatabase], [to]] = await Promise.all([fresh(), fresh()]);
  [source, target] = [from, to];
  await loadDataset(fromDatabase.ownerUrl, data);
  for (const clinic of [CLINIC, OTHER]) await addMessages(source, clinic);
});
afterAll(async () => {
  await Promise.all([source, target].map((client) => client?.end()));
  await Promise.all(databases.map((database) => database.drop()));
});

const contents = async (client = source as pg.Client, clinic = CLINIC) => contentsOf(client, await findMovedTables(client), clinic, false);
const place = () => placeOf(source as pg.Client, target as pg.Client, CLINIC);
const option = (client: pg.Client | undefined) => databases.find(({ ownerUrl }) => ownerUrl.endsWith(`/${client?.database}`))?.ownerUrl ?? '';
const move = (changes: Partial<Move> = {}): Move => ({
  clinicId: CLINIC,
  from: option(source),
  to: option(target),
  readOnly: true,
  print: () => {},
  ...changes,
});
const killAt = (step: Step) => ({
  reached: (now: Step) => {
    if (now === step) throw new Error('killed');
  },
});
const total = (found: Contents) => [...found.values()].reduce((sum, { rows }) => sum + rows, 0);

test('each table is moved, or listed with the reason why it is not', async () => {
  const client = source as pg.Client;
  const moved = new Set((await findMovedTables(client)).map(({ name }) => name));
  const others = (await findTables(client)).filter(({ schema, table }) => !moved.has(`${schema}."${table}"`));
  const named = new Set(others.map(({ schema, table }) => (schema.endsWith('_jobs') ? `jobs: ${table}` : table)));
  expect([...named].toSorted()).toEqual(Object.keys(NOT_MOVED).toSorted());
});

test('the target assigns numbers that are unique across all clinics', async () => {
  const { rows } = await (source as pg.Client).query<{ name: string; column: string }>(`
    select distinct n.nspname || '."' || c.relname || '"' as name, a.attname as column from pg_index i join pg_class c on c.oid = i.indrelid
    join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
    join pg_attribute k on k.attrelid = c.oid and k.attname = 'clinic_id'
    where i.indisunique and a.atttypid = 'bigint'::regtype and not k.attnum = any(i.indkey)`);
  expect(rows.filter(({ name, column }) => FOLLOWS[name]?.column !== column)).toEqual([]);
});

test('a killed move leaves the clinic in one place, and is continued when it is run again', async () => {
  const [before, others] = [await contents(), await contents(source, OTHER)];
  expect(total(before)).toBeGreaterThan(150);
  for (const step of ['staged', 'loaded'] as const) {
    await expect(moveRows(move(killAt(step)))).rejects.toThrow('killed');
    expect(await place()).toBe('source');
  }
  await expect(moveRows(move(killAt('removed')))).rejects.toThrow('killed');
  expect(await place()).toBe('staging');
  expect(total(await contents())).toBe(0);
  await finishLoading(move());
  expect(await place()).toBe('target');
  expect(await contents(target)).toEqual(before);
  expect(await contents(source, OTHER)).toEqual(others);
});

test('a waiting turn is not claimed during the move, which would otherwise have to be repeated', async () => {
  const worker = await connect(option(source));
  const [said, taken]: [string[], Promise<pg.QueryResult>[]] = [[], []];
  const take = `update messaging.turns set claim = gen_random_uuid() where seq in (select seq from messaging.turns where clinic_id = $1 for update skip locked)`;
  const reached = (step: Step) => void (step === 'staged' && taken.push(worker.query(take, [OTHER])));
  await moveRows(move({ clinicId: OTHER, readOnly: false, print: (line) => said.push(line), reached }));
  expect([said, (await Promise.all(taken)).map(({ rowCount }) => rowCount)]).toEqual([[], [0]]);
  await worker.end();
});

test('messages get new numbers in their order, distinct from those of clinics in the target', async () => {
  const { rows } = await (target as pg.Client).query<{
    clinic_id: string;
    texts: string[];
    turns: number;
    sends: number;
    read_only: boolean;
    published: Date;
  }>(`
    select m.clinic_id, array_agg(content->>'text' order by m.seq) as texts, count(t.seq)::int as turns,
      (select count(*)::int from messaging.sends s join messaging.outbound o using (clinic_id, id, seq) where s.clinic_id = m.clinic_id) as sends,
      (select read_only from identity.clinic_limits l where l.clinic_id = m.clinic_id), (select published_at from scheduling.outbox b where b.clinic_id = m.clinic_id) as published
    from messaging.messages m left join messaging.turns t on t.message_id = m.id and t.seq = m.seq group by m.clinic_id`);
  const found = { texts: ['0', '1', '2'], turns: 1, sends: 1, published: new Date(0) };
  expect(rows).toHaveLength(2);
  expect(rows).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...found, clinic_id: CLINIC, read_only: true }),
      expect.objectContaining({ ...found, clinic_id: OTHER, read_only: false }),
    ]),
  );
});

test('rows that are written until the end move too, and the clinic can return to an installation where it was before', async () => {
  [source, target] = [target, source];
  const writer = await connect(option(source));
  const written: string[] = [];
  const writing = (async () => {
    for (;;) {
      const id = randomUUID();
      // Every write adds a row; some also change one.
      const filter = written.length % 10 === 0 ? 'id = $2' : 'id = $2 and false';
      await writer.query(
        `with changed as (update scheduling.doctors set specialty = 'Ortodoncia' where clinic_id = $1 and ${filter})
        insert into scheduling.medical_alerts (clinic_id, id, patient_id, kind, severity, text, created_at, updated_at) values ($1, $3, $4, 'allergy', 'danger', 'Penicilina', now(), now())`,
        [CLINIC, doctorId(0, 0), id, patientId(0, 0)],
      );
      written.push(id);
      const pauses = written.length - 50; // each is twice as long as the one before, so that an attempt succeeds eventually
      if (pauses > 0) await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** pauses));
    }
  })().catch((error: pg.DatabaseError) => error.code);
  const alerts = 'select id from scheduling.medical_alerts where clinic_id = $1';
  let seen: string[] = [];
  const copyFiles = async (snapshot: pg.Client) => {
    seen = (await snapshot.query<{ id: string }>(alerts, [CLINIC])).rows.map(({ id }) => id);
  };
  await moveRows(move({ copyFiles }));
  expect(await writing).toBe('23503'); // the patient has left
  await writer.end();
  expect(await place()).toBe('target');
  const { rows } = await (target as pg.Client).query<{ id: string }>(alerts, [CLINIC]);
  expect(rows.map(({ id }) => id).toSorted()).toEqual(written.toSorted());
  expect(seen.toSorted()).toEqual(written.toSorted()); // so the content of each moved file is copied
});

test('a second command for the clinic is refused', async () => {
  process.env.TARGET_DATABASE_URL = option(target);
  const ops = openOps('ana', () => {}, option(source));
  const cancel = () => moveClinic.run(ops, { values: { clinic: CLINIC, cancel: true }, words: [] });
  const first = await connect(option(source));
  expect(await lockMove(first, CLINIC)).toBe(true);
  await expect(cancel()).rejects.toThrow('Another move-clinic works on this clinic');
  await first.query('select pg_advisory_unlock_all()');
  await expect(cancel()).rejects.toThrow('The clinic is no longer in the source');
  await first.end();
  await ops.close();
});

test('only an interrupted move is cancelled, and a clinic that an operator made read-only stays so', async () => {
  const ops = openOps('ana', () => {}, option(source));
  const cancel = () => moveClinic.run(ops, { values: { clinic: OTHER, cancel: true }, words: [] });
  const isReadOnly = async () =>
    (await (source as pg.Client).query('select read_only from identity.clinic_limits where clinic_id = $1', [OTHER])).rows[0].read_only;
  await (source as pg.Client).query('update identity.clinic_limits set read_only = true where clinic_id = $1', [OTHER]);
  await expect(cancel()).rejects.toThrow('No move of this clinic was interrupted');
  for (const read_only of [true, false]) {
    await ops.record({ action: 'clinic.moved', entityId: OTHER, changes: { state: 'begun', to: 'target', read_only } });
    expect([await isReadOnly(), await cancel(), await isReadOnly()]).toEqual([true, 0, read_only]);
  }
  await expect(cancel()).rejects.toThrow('No move of this clinic was interrupted');
  await ops.close();
});

test('a clinic with files is refused while a store is not set or lacks them, and nothing of it has changed', async () => {
  process.env.TARGET_DATABASE_URL = option(target);
  const ops = openOps('ana', () => {}, option(source));
  const move = (values: object) => moveClinic.run(ops, { values: { clinic: OTHER, ...values }, words: [] });
  const dryRun = () => move({ 'dry-run': true });
  const file = randomUUID();
  await (source as pg.Client).query(
    `insert into scheduling.patient_files (clinic_id, id, patient_id, name, kind, content_type, hash, key_sealed, created_at, reserved_at, stored_at)
    values ($1, $2, $3, 'x.png', 'xray', 'image/png', '', $4, now(), now(), now())`, // plain-words: sealed is in the name of the column
    [OTHER, file, patientId(1, 0), encryptKey(ops.keys('scheduling'), OTHER, file, newContentKey())],
  );
  await expect(dryRun()).rejects.toThrow('The clinic has files: set TARGET_DATA_DIR');
  await (source as pg.Client).query('update scheduling.patient_files set size = 1 where id = $1', [file]);
  const folder = tempFolder('move-clinic');
  process.env.DATA_DIR = path.join(folder, 'source');
  process.env.TARGET_DATA_DIR = path.join(folder, 'target');
  await expect(move({})).rejects.toThrow('The store of files lacks');
  await expect(move({ cancel: true })).rejects.toThrow('No move of this clinic was interrupted');
  rmSync(folder, { recursive: true });
  delete process.env.DATA_DIR;
  delete process.env.TARGET_DATA_DIR;
  await (source as pg.Client).query('delete from scheduling.patient_files where id = $1', [file]);
  expect(await dryRun()).toBe(0);
  await ops.close();
});

test('a clinic is not moved to where it has entries in the audit log, whose chain could not be continued', async () => {
  process.env.TARGET_DATABASE_URL = option(target);
  const ops = openOps('ana', () => {}, option(source));
  const dryRun = () => moveClinic.run(ops, { values: { clinic: OTHER, 'dry-run': true }, words: [] });
  expect(await dryRun()).toBe(0);
  await (target as pg.Client).query(
    `insert into dental.audit_log (clinic_id, id, actor_kind, actor_id, action, entity, entity_id, ip, request_id)
    values ('${OTHER}', '${randomUUID()}', 'operator', 'ana', 'clinic.erased', 'clinic', '${OTHER}', '', '')`,
  );
  await expect(dryRun()).rejects.toThrow('The audit log of dental in the target has entries of the clinic');
  await ops.close();
});
