// Isolation of tenants in the database, read from its catalogue: row-level security on every table of clinics, and roles that own nothing and see
// nothing without a tenant.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { databaseUrls } from '@clinic/lib/db/migrate.ts';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { apiAt } from './api.ts';
import { addDoctor, book, booking, type Clinic, newClinic } from './clinic.ts';
import { asOwner, ownerUrl } from './product-internals.ts';

type Table = { schema: string; name: string; tenant: boolean; enabled: boolean; forced: boolean; policies: { name: string; role: string; using: string }[] };

let clinic: Clinic;
let schemas: string[];
let tables: Table[];

beforeAll(async () => {
  const api = apiAt(publicApi());
  clinic = await newClinic(api);
  await book(api, clinic, booking((await addDoctor(api, clinic)).id, '08:00'));
  schemas = (
    await asOwner(publicApi(), `select nspname as name from pg_namespace where 'clinic_' || nspname in (select rolname from pg_roles) order by 1`)
  ).map(({ name }) => name);
  tables = await asOwner(
    publicApi(),
    `select n.nspname as schema, c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
       exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'clinic_id' and not a.attisdropped) as tenant,
       coalesce((select jsonb_agg(jsonb_build_object('name', p.policyname, 'role', p.roles::text[], 'using', p.qual))
         from pg_policies p where p.schemaname = n.nspname and p.tablename = c.relname), '[]') as policies
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p') and n.nspname = any($1) order by 1, 2`,
    [schemas],
  );
});

/** Runs statements with the request role of a service in a transaction, with or without a clinic. */
async function asRole<T>(schema: string, clinicId: string | undefined, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrls(ownerUrl(publicApi()), schema).DATABASE_URL, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    await client.query('begin');
    if (clinicId) await client.query(`set local app.clinic_id = '${clinicId}'`);
    return await work(client);
  } finally {
    await client.end();
  }
}

const readable = (client: pg.Client, table: Table) =>
  client
    .query<{ may: boolean }>(`select has_table_privilege($1, 'select') as may`, [`${table.schema}.${table.name}`])
    .then(({ rows }) => rows[0]?.may === true);

test('all services have tables of clinics', () => {
  expect(schemas).toEqual(expect.arrayContaining(['gateway', 'identity', 'platform', 'scheduling']));
  expect(tables.filter(({ tenant }) => tenant).length).toBeGreaterThan(15);
});

test('each table with a clinic_id has row-level security, enabled and forced, by the tenant of the transaction', () => {
  const open = tables.filter((table) => {
    const own = table.policies.find(({ name }) => name === 'tenant');
    return table.tenant && !(table.enabled && table.forced && own?.using.includes('clinic_id') && own.using.includes('app.clinic_id'));
  });
  expect(open).toEqual([]);
});

/** Reads the use of all clinics for dashboards, and is no role of a service. */
const MONITOR = 'clinic_monitor';
const MONITORED = ['identity.clinics', 'identity.clinic_usage', 'identity.clinic_storage'];

test('no policy lets a request role see more than its tenant', () => {
  const lax = tables.flatMap(({ schema, name, policies }) =>
    policies
      .filter(({ name: policy, role }) => policy !== 'tenant' && !role.includes(`clinic_${schema}_system`))
      .filter(({ role }) => !(MONITORED.includes(`${schema}.${name}`) && String(role) === MONITOR))
      .map((policy) => ({ table: `${schema}.${name}`, policy })),
  );
  expect(lax).toEqual([]);
});

test('the roles own nothing, are not superusers, bypass nothing and cannot create objects', async () => {
  const powerful = await asOwner(
    publicApi(),
    `select rolname from pg_roles where rolname like 'clinic\\_%' and rolname <> current_user
     and (rolsuper or rolbypassrls or rolcreatedb or rolcreaterole or rolreplication)`,
  );
  const owned = await asOwner(
    publicApi(),
    `select c.oid::regclass::text as name from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname like 'clinic\\_%' and r.rolname <> current_user
     union all select n.nspname from pg_namespace n join pg_roles r on r.oid = n.nspowner where r.rolname like 'clinic\\_%' and r.rolname <> current_user
     union all select p.proname from pg_proc p join pg_roles r on r.oid = p.proowner where r.rolname like 'clinic\\_%' and r.rolname <> current_user`,
  );
  const makers = await asOwner(
    publicApi(),
    `select r.rolname, n.nspname from pg_roles r, pg_namespace n
     where r.rolname like 'clinic\\_%' and r.rolname <> current_user and n.nspname not like 'pg\\_temp%' and has_schema_privilege(r.oid, n.oid, 'create')`,
  );
  expect({ powerful, owned, makers }).toEqual({ powerful: [], owned: [], makers: [] });
});

test('without a tenant the request role sees no row of any clinic, and can read only technical tables and data for all clinics', async () => {
  const plumbing = ['migrations', 'inbox', 'published_stream', 'rate_limits', 'running_processes', 'daily_runs'];
  const forAll = ['maintenance', 'operator_notices'];
  for (const schema of schemas) {
    await asRole(schema, undefined, async (client) => {
      for (const table of tables.filter((one) => one.schema === schema)) {
        if (!(await readable(client, table))) continue;
        const { rows } = await client.query(`select count(*)::int as n from ${table.name}`);
        expect({ table: `${schema}.${table.name}`, visible: table.tenant ? rows[0].n : [...plumbing, ...forAll].includes(table.name) }).toEqual({
          table: `${schema}.${table.name}`,
          visible: table.tenant ? 0 : true,
        });
      }
    });
  }
});

describe('with a tenant', () => {
  test('the request role sees only that clinic', async () => {
    let seen = 0;
    for (const schema of schemas) {
      await asRole(schema, clinic.id, async (client) => {
        for (const table of tables.filter((one) => one.schema === schema && one.tenant)) {
          if (!(await readable(client, table))) continue;
          const { rows } = await client.query(`select count(*)::int as all, count(*) filter (where clinic_id = $1)::int as own from ${table.name}`, [
            clinic.id,
          ]);
          expect({ table: table.name, foreignRows: rows[0].all - rows[0].own }).toEqual({ table: table.name, foreignRows: 0 });
          seen += rows[0].own;
        }
      });
    }
    expect(seen).toBeGreaterThan(5);
  });

  test('it cannot write for another clinic', async () => {
    const insert = 'insert into idempotency_keys (clinic_id, key, method, request_hash) values ($1, $2, $3, $4)';
    for (const schema of schemas) {
      const attempt = (clinicId: string) => asRole(schema, clinic.id, (client) => client.query(insert, [clinicId, 'k', 'm', Buffer.alloc(1)]));
      await expect(attempt(randomUUID())).rejects.toThrow('row-level security');
      await expect(attempt(clinic.id)).resolves.toMatchObject({ rowCount: 1 }); // never committed
    }
  });
});

test('a service cannot read tables of another service, change migrations, or become another role', async () => {
  const readers = await asOwner(
    publicApi(),
    `select r.rolname as role, n.nspname || '.' || c.relname as name from pg_roles r, pg_class c join pg_namespace n on n.oid = c.relnamespace
     where r.rolname like 'clinic\\_%' and r.rolname <> current_user and c.relkind in ('r', 'p') and n.nspname = any($1)
       and has_table_privilege(r.oid, c.oid, 'select, insert, update, delete') and has_schema_privilege(r.oid, n.oid, 'usage')
       and (r.rolname not in ('clinic_' || n.nspname, 'clinic_' || n.nspname || '_system') or c.relname = 'migrations' and has_table_privilege(r.oid, c.oid, 'insert, update, delete'))`,
    [schemas],
  );
  const changers = await asOwner(
    publicApi(),
    `select m.rolname as role, r.rolname as becomes from pg_auth_members g join pg_roles r on r.oid = g.roleid join pg_roles m on m.oid = g.member
     where m.rolname like 'clinic\\_%' and m.rolname <> current_user and not (m.rolname = $1 and r.rolname = 'pg_monitor')`,
    [MONITOR],
  );
  const others = readers.filter(({ role, name }) => !(role === MONITOR && MONITORED.includes(name)));
  expect({ readers: others, changers }).toEqual({ readers: [], changers: [] });
});

const inManyProcesses = publicApi().topology === 'distributed' ? test : test.skip;

inManyProcesses('each process is given only the encryption keys and the database logins of its service', async () => {
  const services = schemas.filter((schema) => schema !== 'gateway' && !schema.includes('_'));
  expect(services.length).toBeGreaterThan(5);
  for (const service of services) {
    const [running] = await asOwner(publicApi(), `select pid from ${service}.running_processes order by last_seen_at desc`);
    const given = new Map(
      readFileSync(`/proc/${running.pid}/environ`, 'utf8')
        .split('\0')
        .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    );
    expect({ service, keys: given.get('ENCRYPTION_KEYS')?.replace(/:[^,]*/g, '') }).toEqual({ service, keys: `k1.${service}` });
    const logins = ['DATABASE_URL', 'DATABASE_SYSTEM_URL'].map((name) => new URL(given.get(name) ?? '').username);
    expect(logins).toEqual([`clinic_${service}`, `clinic_${service}_system`]);
  }
});
