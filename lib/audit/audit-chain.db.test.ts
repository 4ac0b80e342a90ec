// The hash chain of the audit log: permissions, concurrent writers and workers, and every kind of tampering.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import pino from 'pino';
import { asSystem, closeDb, type Db, execute, inTenant, openDb, sql } from '../db/db.ts';
import { serviceCaller } from '../rpc/caller.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { audit } from './audit.ts';
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
    expect((await verifyAudit(db, known))[0]?.faults).toEqual(['1 links at the end are missing']);
    await write(clinicId, 'p4');
    await linkBatch(db);
    expect((await verifyAudit(db, known))[0]?.faults).toEqual(['link 5 differs from the stored head']);
    await owner.query('delete from audit_chain; delete from audit_log');
    expect((await verifyAudit(db, known))[0]?.faults).toEqual(['the whole audit log is missing']);
  });
});
