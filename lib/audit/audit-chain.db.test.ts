// The hash chain of the audit log: permissions, concurrent writers and workers, and every kind of tampering.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import pino from 'pino';
import { asSystem, closeDb, type Db, execute, inTenant, openDb, sql } from '../db/db.ts';
import { serviceCaller } from '../rpc/caller.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { audit } from './audit.ts';
import { deleteArchived, readArchives, writeArchive } from './audit-archive.ts';
import { linkBatch } from './audit-chain.ts';
import { verifyAudit } from './audit-verify.ts';

let database: TestDatabase;
let db: Db;
let owner: pg.Client;
beforeEach(async () => {
  database = await testDatabase();
  db = openDb(database.urls('scheduling'), { schema: 'scheduling', max: 5, log: pino({ level: 'silent' }) });
  owner = new pg.Client({ connectionString: database.ownerUrl, options: '-c search_path=scheduling' });
  await owner.connect();
});
afterEach(async () => {
  await owner.end();
  await closeDb(db);
  await database.drop();
});

const write = (clinicId: string, entityId: string) =>
  inTenant(db, clinicId, (tx) =>
    audit(tx, clinicId, serviceCaller('scheduling', 'r'), { action: 'patient.updated', entityId, changes: { city: { from: null, to: 'Apopa' } } }),
  );

async function written(rows: number, prefix = 'p'): Promise<string> {
  const clinicId = randomUUID();
  for (let n = 0; n < rows; n++) await write(clinicId, `${prefix}${n}`);
  await linkBatch(db);
  return clinicId;
}

const faultsOf = async (clinicId: string) => (await verifyAudit(db)).find((verdict) => verdict.clinicId === clinicId)?.faults;

test('concurrent writers and workers produce one unbroken chain for each clinic', async () => {
  const clinics = [randomUUID(), randomUUID(), randomUUID()];
  const writers = clinics.flatMap((clinicId) => Array.from({ length: 40 }, (_, n) => write(clinicId, `p${n}`)));
  const workers = Array.from({ length: 10 }, () => linkBatch(db));
  await Promise.all([...writers, ...workers]);
  await linkBatch(db);
  const verdicts = await verifyAudit(db);
  expect(verdicts.map(({ linked, pending, faults }) => ({ linked, pending, faults }))).toEqual(clinics.map(() => ({ linked: 40, pending: 0, faults: [] })));
  expect(new Set(verdicts.map(({ head }) => head)).size).toBe(3);
});

test('a row that is not linked yet is not a fault', async () => {
  const clinicId = await written(2);
  await write(clinicId, 'late');
  expect((await verifyAudit(db))[0]).toMatchObject({ linked: 2, pending: 1, faults: [] });
});

describe('the roles that serve requests', () => {
  test.each([
    `update audit_log set actor_id = 'x'`,
    'delete from audit_log',
    'truncate audit_log',
    `update audit_chain set hash = ''`,
    'delete from audit_chain',
  ])('cannot: %s', async (statement) => {
    const clinicId = await written(1);
    await expect(inTenant(db, clinicId, (tx) => execute(tx, sql(statement)))).rejects.toThrow('permission denied');
    await expect(asSystem(db, (tx) => execute(tx, sql(statement)))).rejects.toThrow('permission denied');
  });

  test.each([
    `insert into audit_chain (clinic_id, seq, audit_id, row_hash, hash) values ($1, 9, $1, '', '')`,
    'delete from audit_pending where clinic_id = $1',
  ])('cannot as a clinic: %s', async (statement) => {
    const clinicId = await written(1);
    await expect(inTenant(db, clinicId, (tx) => execute(tx, sql(statement), [clinicId]))).rejects.toThrow('permission denied');
  });
});

describe('tampering by the owner of the database is found', () => {
  test.each([
    ['changes a row', `update audit_log set actor_id = 'somebody else' where entity_id = 'p2'`, /was changed/],
    ['changes a time by a microsecond', `update audit_log set at = at + interval '1 microsecond' where entity_id = 'p2'`, /was changed/],
    ['changes the recorded changes', `update audit_log set changes = '{}' where entity_id = 'p2'`, /was changed/],
    ['removes a row', `delete from audit_log where entity_id = 'p2'`, /is missing/],
    [
      'removes a row and its link',
      `with l as (delete from audit_log where entity_id = 'p2' returning id) delete from audit_chain where audit_id in (select id from l)`,
      /are missing/,
    ],
    [
      'inserts a row',
      `insert into audit_log select clinic_id, gen_random_uuid(), at, actor_kind, actor_id, action, entity, entity_id, changes, ip, request_id from audit_log where entity_id = 'p2'`,
      /not in the chain/,
    ],
    [
      'adapts the link to a changed row',
      `update audit_log set actor_id = 'x' where entity_id = 'p2'; update audit_chain a set row_hash = sha256(convert_to(jsonb_build_array(l.clinic_id, l.id,
         extract(epoch from l.at), l.actor_kind, l.actor_id, l.action, l.entity, l.entity_id, l.changes, l.ip, l.request_id)::text, 'UTF8'))
       from audit_log l where l.id = a.audit_id and l.entity_id = 'p2'`,
      /does not follow/,
    ],
  ])('%s', async (_what, statement, fault) => {
    const clinicId = await written(5);
    const other = await written(3, 'other');
    expect(await faultsOf(clinicId)).toEqual([]);
    await owner.query(statement);
    expect((await verifyAudit(db)).flatMap(({ faults }) => faults).join()).toMatch(fault);
    expect(await faultsOf(other)).toEqual([]);
  });

  test('a chain whose end was cut off differs from a stored head', async () => {
    const clinicId = await written(5);
    const [before] = await verifyAudit(db);
    await owner.query(`delete from audit_log where entity_id = 'p4'`);
    await owner.query('delete from audit_chain where clinic_id = $1 and seq = 5', [clinicId]);
    const [after] = await verifyAudit(db);
    expect(after?.faults).toEqual([]);
    expect([after?.linked, after?.head === before?.head]).toEqual([4, false]);
    const known = new Map([[clinicId, { linked: 5, head: before?.head ?? '' }]]);
    expect((await verifyAudit(db, known))[0]?.faults).toEqual(['1 link missing at the end']);
    await write(clinicId, 'p4');
    await linkBatch(db);
    expect((await verifyAudit(db, known))[0]?.faults).toEqual(['link 5 differs from the stored head']);
    await owner.query('delete from audit_chain; delete from audit_log');
    expect((await verifyAudit(db, known))[0]?.faults).toEqual(['the whole audit log is missing']);
  });
});

describe('an archive', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-audit-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const folderOf = (clinicId: string) => path.join(folder, clinicId);
  const verdictOf = async (clinicId: string, archives = readArchives(folderOf)) =>
    (await verifyAudit(db, new Map(), archives)).find((verdict) => verdict.clinicId === clinicId);
  const age = (entityId: string) => owner.query(`update audit_log set at = at - interval '2 years' where entity_id = $1`, [entityId]);
  /** A clinic with links, the first `old` of them from two years ago. */
  async function aged(rows: number, old: number): Promise<string> {
    const clinicId = randomUUID();
    for (let n = 0; n < rows; n++) await write(clinicId, `p${n}`);
    for (let n = 0; n < old; n++) await age(`p${n}`);
    await linkBatch(db);
    return clinicId;
  }
  const archive = (clinicId: string) => writeArchive(db, clinicId, folderOf(clinicId), new Date(Date.now() - 86_400_000));
  const remaining = async (clinicId: string) => (await owner.query('select count(*)::int as rows from audit_log where clinic_id = $1', [clinicId])).rows[0];

  test('contains the old rows, which are deleted from the database, and is accepted as the beginning of the chain', async () => {
    const clinicId = await aged(5, 3);
    const before = await verdictOf(clinicId);
    const range = await archive(clinicId);
    expect([range, before?.archived]).toEqual([{ first: 1, last: 3 }, 0]);
    if (range) await deleteArchived(owner, clinicId, range);
    expect(await remaining(clinicId)).toEqual({ rows: 2 });
    expect(await verdictOf(clinicId)).toEqual({ ...before, archived: 3 });
    const known = (linked: number, head: string) => verifyAudit(db, new Map([[clinicId, { linked, head }]]), readArchives(folderOf));
    expect((await known(2, 'another'))[0]?.faults).toEqual(['link 2 differs from the stored head']);
    expect(await archive(clinicId)).toBeUndefined();
    const [line = ''] = readFileSync(path.join(folderOf(clinicId), '1-3.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(line)).toEqual(expect.arrayContaining([clinicId, 'patient.updated', 'p0', { city: { to: 'Apopa', from: null } }]));
  });

  test('continues where the previous archive ended, also when every row is archived', async () => {
    const clinicId = await aged(2, 2);
    for (const range of [await archive(clinicId)]) if (range) await deleteArchived(owner, clinicId, range);
    expect(await verdictOf(clinicId)).toMatchObject({ linked: 2, archived: 2, faults: [] });
    for (const entity of ['q0\u2028', 'q1']) await write(clinicId, entity);
    await age('q0\u2028');
    await linkBatch(db);
    const range = await archive(clinicId);
    expect(range).toEqual({ first: 3, last: 3 });
    if (range) await deleteArchived(owner, clinicId, range);
    expect(await verdictOf(clinicId)).toMatchObject({ linked: 4, archived: 3, faults: [] });
  });

  test('of a run that was killed at any point leaves no gap, and the next run continues it', async () => {
    const clinicId = await aged(4, 3);
    await archive(clinicId); // killed before it deleted anything
    expect(await verdictOf(clinicId)).toMatchObject({ linked: 4, archived: 0, faults: [] });
    await deleteArchived(owner, clinicId, { first: 1, last: 2 }); // killed between two transactions
    expect(await verdictOf(clinicId)).toMatchObject({ linked: 4, archived: 2, faults: [] });
    const range = await archive(clinicId);
    expect([range, readdirSync(folderOf(clinicId))]).toEqual([{ first: 3, last: 3 }, ['1-3.jsonl', '3-3.jsonl']]);
    if (range) await deleteArchived(owner, clinicId, range);
    expect(await verdictOf(clinicId)).toMatchObject({ linked: 4, archived: 3, faults: [] });
  });

  test('that is missing, shorter or changed is a fault, and a changed row is not archived', async () => {
    const clinicId = await aged(4, 3);
    const range = await archive(clinicId);
    if (range) await deleteArchived(owner, clinicId, range);
    const file = path.join(folderOf(clinicId), '1-3.jsonl');
    const text = readFileSync(file, 'utf8');
    expect(await faultsOf(clinicId)).toEqual(['links 1 to 3 are neither in the database nor in an archive']);
    const faultsWith = async (changed: string) => {
      writeFileSync(file, changed);
      return (await verdictOf(clinicId))?.faults;
    };
    expect(await faultsWith(text.replace('p1', 'p9'))).toEqual(['the archive does not lead to link 3']);
    expect(await faultsWith(text.slice(0, -10))).toEqual(['links 3 to 3 are neither in the database nor in an archive']);
    expect(await faultsWith(text)).toEqual([]);
    const other = await aged(1, 1);
    await age('p0');
    await expect(archive(other)).rejects.toThrow('differs from its hash chain at link 1');
  });
});
