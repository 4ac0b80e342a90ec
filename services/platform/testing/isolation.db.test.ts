// Row-level security: the request role sees only the rows of the tenant that is set, and no invite codes.
import { randomUUID } from 'node:crypto';
import { asSystem, execute, readTenant, sql } from '@clinic/lib/db/db.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Platform, startPlatform } from './platform.ts';

let p: Platform;
beforeAll(async () => {
  p = await startPlatform();
});
afterAll(() => p.stop());

test('every table with a clinic_id has row-level security, enabled and forced', async () => {
  const tables = await p.look(`
    select c.relname, c.relrowsecurity, c.relforcerowsecurity from pg_class c
    where c.relnamespace = 'platform'::regnamespace and c.relkind = 'r'
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'clinic_id' and not a.attisdropped)`);
  expect(tables.map(({ relname }) => relname)).toEqual(expect.arrayContaining(['clinics_seen', 'appointments_seen']));
  expect(tables.filter(({ relrowsecurity, relforcerowsecurity }) => !relrowsecurity || !relforcerowsecurity)).toEqual([]);
});

test('a projection has no rows without a tenant, and only the rows of the clinic with one', async () => {
  const clinics = [randomUUID(), randomUUID()];
  const insert = sql(`insert into appointments_seen (clinic_id, appointment_id, appointment_date, status, timezone, revision)
    values ($1, gen_random_uuid(), '2026-06-01', 'confirmed', 'UTC', 1)`);
  for (const clinicId of clinics) await asSystem(p.service.db, (tx) => execute(tx, insert, [clinicId]));
  expect((await p.service.db.pool.query('select count(*)::int as n from appointments_seen')).rows).toEqual([{ n: 0 }]);
  const seen = await readTenant(p.service.db, clinics[0] ?? '', sql<{ clinic_id: string }>('select clinic_id from appointments_seen'), []);
  expect(seen).toEqual([{ clinic_id: clinics[0] }]);
});

test('the request role has no access to invite codes', async () => {
  await p.createCode();
  await expect(p.service.db.pool.query('select 1 from invite_codes')).rejects.toThrow(/permission denied/);
  await expect(p.service.db.pool.query('delete from invite_codes')).rejects.toThrow(/permission denied/);
});
