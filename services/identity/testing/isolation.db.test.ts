// Row-level security: the request role sees only the rows of the tenant that is set.
import { readTenant, sql } from '@clinic/lib/db/db.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Identity, startIdentity } from './identity.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

test('every table with a clinic_id has row-level security, enabled and forced', async () => {
  const tables = await i.look(`
    select c.relname, c.relrowsecurity, c.relforcerowsecurity from pg_class c
    where c.relnamespace = 'identity'::regnamespace and c.relkind = 'r'
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'clinic_id' and not a.attisdropped)
    order by 1`);
  expect(tables.map(({ relname }) => relname)).toEqual(expect.arrayContaining(['clinics', 'feature_toggles', 'refresh_tokens', 'session_families', 'users']));
  expect(tables.filter(({ relrowsecurity, relforcerowsecurity }) => !relrowsecurity || !relforcerowsecurity)).toEqual([]);
});

test.each(['clinics', 'users', 'session_families', 'refresh_tokens'])(
  '%s has no rows without a tenant, and only the rows of the clinic with one',
  async (table) => {
    const one = await i.register();
    await i.register();
    const clinicId = one.clinic?.id ?? '';
    const { rows } = await i.service.db.pool.query(`select count(*)::int as n from ${table}`);
    expect(rows).toEqual([{ n: 0 }]);
    expect(await readTenant(i.service.db, clinicId, sql<{ clinic_id: string }>(`select distinct clinic_id from ${table}`), [])).toEqual([
      { clinic_id: clinicId },
    ]);
  },
);

test('a row of another clinic cannot be written', async () => {
  const one = await i.register();
  const other = await i.register();
  const move = sql<{ id: string }>('update users set clinic_id = $2 where id = $1 returning id');
  await expect(readTenant(i.service.db, one.clinic?.id ?? '', move, [one.user?.id, other.clinic?.id])).rejects.toThrow(/row-level security/);
});
