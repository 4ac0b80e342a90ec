import { createHash, hkdfSync, randomUUID } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { CreatePatientRequestSchema, PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import pino from 'pino';
import { encrypt } from '../crypto/crypto.ts';
import { closeDb, type Db, openDb, type TenantTx } from '../db/db.ts';
import { purge } from '../db/retention.ts';
import { fail } from '../errors/errors.ts';
import { callerClinic } from '../testing/callers.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { type Abridged, idempotent, idempotentWithoutClinic } from './idempotency.ts';
import type { Call } from './pipeline.ts';

const method = PatientService.method.createPatient;

let database: TestDatabase;
let db: Db;
let owner: pg.Client;

beforeAll(async () => {
  database = await testDatabase();
  db = openDb(database.urls('scheduling'), { schema: 'scheduling', max: 5, log: pino({ level: 'silent' }) });
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
});

afterAll(async () => {
  await Promise.all([closeDb(db), owner.end()]);
  await database.drop();
});

function callOf(key: string | undefined, clinicId: string = randomUUID()): Call {
  const clinic = callerClinic(clinicId);
  return { caller: { kind: 'user', id: randomUUID(), role: 'admin', requestId: '', ip: '', clinic }, idempotencyKey: key, deadline: Date.now() + 10_000 };
}

const request = (fullName = 'Ana') => create(CreatePatientRequestSchema, { fullName, phone: '+50370000000', dui: '00016297-5' });

/** Work that counts how often it runs. */
function counted() {
  const work = async () => {
    work.times++;
    return { id: randomUUID(), fullName: 'Ana', dui: '00016297-5' };
  };
  work.times = 0;
  return work;
}

describe('idempotent', () => {
  test('runs the work each time without a key', async () => {
    const work = counted();
    const call = callOf(undefined);
    await idempotent(db, call, method, request(), work);
    await idempotent(db, call, method, request(), work);
    expect(work.times).toBe(2);
  });

  test('runs the work once for a key and returns the same response again', async () => {
    const work = counted();
    const call = callOf('k');
    const first = await idempotent(db, call, method, request(), work);
    expect(await idempotent(db, call, method, request(), work)).toEqual(first);
    expect(work.times).toBe(1);
  });

  test('passes to the work what was read together with the key, and reads again for each call', async () => {
    const call = callOf('read');
    const reads: string[] = [];
    const work = async (_: TenantTx, read: string) => ({ id: read, fullName: 'Ana' });
    const read = async (tx: TenantTx) => {
      reads.push(tx.clinicId);
      return String(reads.length);
    };
    for (const expected of ['1', '1']) expect(await idempotent(db, call, method, request(), work, read)).toMatchObject({ id: expected });
    expect(await idempotent(db, callOf(undefined), method, request(), work, read)).toMatchObject({ id: '3' });
    expect(reads.length).toBe(3);
  });

  test('runs the work once for concurrent calls with one key, which all get its response', async () => {
    const work = counted();
    const call = callOf('race');
    const answers = await Promise.all(Array.from({ length: 12 }, () => idempotent(db, call, method, request(), work)));
    expect(work.times).toBe(1);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  });

  test('rejects the key with another request or another method', async () => {
    const call = callOf('k');
    await idempotent(db, call, method, request(), counted());
    await expect(idempotent(db, call, method, request('Eva'), counted())).rejects.toMatchObject({ reason: 'IDEMPOTENCY_KEY_REUSED' });
    const other = PatientService.method.updatePatient;
    await expect(idempotent(db, call, other, create(other.input, {}), counted())).rejects.toMatchObject({ reason: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('has separate keys for each clinic', async () => {
    const work = counted();
    await idempotent(db, callOf('k'), method, request(), work);
    await idempotent(db, callOf('k'), method, request(), work);
    expect(work.times).toBe(2);
  });

  test('stores nothing when the work fails', async () => {
    const call = callOf('k');
    await expect(idempotent(db, call, method, request(), async () => fail('PHONE_TAKEN'))).rejects.toMatchObject({ reason: 'PHONE_TAKEN' });
    const work = counted();
    await idempotent(db, call, method, request('Eva'), work);
    expect(work.times).toBe(1);
  });

  test('accepts a key again after 24 hours, once for concurrent calls', async () => {
    const work = counted();
    const call = callOf('old');
    const first = await idempotent(db, call, method, request(), work);
    await owner.query(`update scheduling.idempotency_keys set created_at = now() - interval '25 hours' where clinic_id = $1`, [call.caller.clinic?.id]);
    const answers = await Promise.all(Array.from({ length: 5 }, () => idempotent(db, call, method, request(), work)));
    expect(work.times).toBe(2);
    expect(new Set([...answers.map(({ id }) => id), first.id]).size).toBe(2);
  });

  test('returns the response of a process of an earlier release, which takes no lock and has run the call meanwhile', async () => {
    const call = callOf('upgrade');
    const first = await idempotent(db, call, method, request(), counted());
    const { rows } = await owner.query(
      'delete from scheduling.idempotency_keys where clinic_id = $1 returning clinic_id, key, method, request_hash, response',
      [call.caller.clinic?.id],
    );
    const work = async () => {
      const insert = 'insert into scheduling.idempotency_keys (clinic_id, key, method, request_hash, response) values ($1, $2, $3, $4, $5)';
      await owner.query(insert, Object.values(rows[0]));
      return { id: randomUUID() };
    };
    expect(await idempotent(db, call, method, request(), work)).toEqual(first);
  });

  test('returns a long response byte by byte, and stores less than half of it', async () => {
    const call = callOf('long');
    const work = async () => ({ id: randomUUID(), fullName: 'Ana', notes: 'alérgica a la penicilina; '.repeat(40) });
    const first = await idempotent(db, call, method, request(), work);
    const again = await idempotent(db, call, method, request(), work);
    const bytes = toBinary(method.output, create(method.output, first));
    expect(toBinary(method.output, create(method.output, again))).toEqual(bytes);
    const { rows } = await owner.query('select octet_length(response) as size from scheduling.idempotency_keys where clinic_id = $1', [call.caller.clinic?.id]);
    expect(rows[0].size).toBeLessThan(bytes.length / 2);
  });

  test('stores a response abridged, and restores it for a repeated call, also a whole one of an earlier release', async () => {
    const abridged: Abridged<typeof method> = {
      shorten: (patient) => ({ ...patient, fullName: '' }),
      restore: async (_tx, stored) => ({ ...stored, notes: stored.fullName ? 'whole' : 'abridged', fullName: 'Ana' }),
    };
    const once = (call: Call, form?: Abridged<typeof method>) => idempotent(db, call, method, request(), counted(), undefined, form);
    const [today, earlier] = [callOf('today'), callOf('earlier')];
    expect((await once(today, abridged)).notes).toBeUndefined();
    expect(await once(today, abridged)).toMatchObject({ notes: 'abridged', fullName: 'Ana' });
    await once(earlier);
    expect(await once(earlier, abridged)).toMatchObject({ notes: 'whole', fullName: 'Ana' });
  });

  test('returns a response that an earlier release stored', async () => {
    const call = callOf('base64');
    const clinicId = call.caller.clinic?.id;
    const first = await idempotent(db, call, method, request(), counted());
    const sha256 = (value: string | Uint8Array) => createHash('sha256').update(value).digest();
    const secret = Buffer.concat([sha256('base64'), sha256(toBinary(method.input, request()))]);
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'clinic idempotency answer', 32));
    const text = Buffer.from(toBinary(method.output, create(method.output, first))).toString('base64');
    const stored = encrypt([{ id: 'request', key }], text, `${clinicId}:${method.parent.typeName}/${method.name}`);
    await owner.query('update scheduling.idempotency_keys set response = $2 where clinic_id = $1', [clinicId, stored]);
    expect(await idempotent(db, call, method, request(), counted())).toEqual(first);
  });

  test('stores nothing readable, and the purge deletes it', async () => {
    const call = callOf('a-key-of-a-client');
    await idempotent(db, call, method, request(), counted());
    const stored = async () =>
      (
        await owner.query<{ key: string; response: Buffer }>('select key, response from scheduling.idempotency_keys where clinic_id = $1', [
          call.caller.clinic?.id,
        ])
      ).rows;
    const [row] = await stored();
    expect(row?.key).not.toContain('client');
    expect(row?.response.toString('latin1')).not.toContain('00016297');
    await purge(db);
    expect(await stored()).toHaveLength(1);
    await owner.query(`update scheduling.idempotency_keys set created_at = now() - interval '25 hours'`);
    await purge(db);
    expect(await stored()).toHaveLength(0);
  });
});

test('idempotentWithoutClinic stores keys by operator and address', async () => {
  const work = counted();
  const call: Call = { ...callOf('k'), caller: { kind: 'operator', id: 'ops', role: '', requestId: '', ip: '' } };
  const first = await idempotentWithoutClinic(db, call, method, request(), work);
  expect(await idempotentWithoutClinic(db, call, method, request(), work)).toEqual(first);
  expect(work.times).toBe(1);
  const other = (caller: Partial<Call['caller']>) => idempotentWithoutClinic(db, { ...call, caller: { ...call.caller, ...caller } }, method, request(), work);
  for (const caller of [{ id: 'maria' }, { kind: 'anonymous', id: '', ip: '10.0.0.1' }, { kind: 'anonymous', id: '', ip: '10.0.0.2' }] as const)
    await other(caller);
  expect(work.times).toBe(4);
});
