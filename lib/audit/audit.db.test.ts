import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import pino from 'pino';
import { closeDb, inTenant, openDb, readTenant, sql } from '../db/db.ts';
import { type Caller, serviceCaller } from '../rpc/caller.ts';
import { testDatabase } from '../testing/database.ts';
import { audit } from './audit.ts';

test('an entry is visible only to its clinic', async () => {
  const database = await testDatabase();
  const db = openDb(database.urls('scheduling'), { schema: 'scheduling', max: 2, log: pino({ level: 'silent' }) });
  const [clinic, other] = [randomUUID(), randomUUID()];
  const caller: Caller = { ...serviceCaller('messaging', 'request-1'), ip: '127.0.0.1' };
  await inTenant(db, clinic, (tx) => audit(tx, clinic, caller, { action: 'patient.updated', entityId: 'p', changes: { city: { from: null, to: 'Apopa' } } }));
  const list = (id: string) => readTenant(db, id, sql('select actor_kind, actor_id, action, entity_id, changes, ip, request_id from audit_log'), []);
  expect(await list(other)).toEqual([]);
  expect(await list(clinic)).toEqual([
    {
      actor_kind: 'service',
      actor_id: 'messaging',
      action: 'patient.updated',
      entity_id: 'p',
      changes: { city: { from: null, to: 'Apopa' } },
      ip: '127.0.0.1',
      request_id: 'request-1',
    },
  ]);
  await expect(inTenant(db, other, (tx) => audit(tx, clinic, caller, { action: 'patient.updated', entityId: 'i' }))).rejects.toThrow('row-level security');
  await closeDb(db);
  await database.drop();
});
