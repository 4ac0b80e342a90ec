// Access to the internals of the embedded product (its database as the owner, its signing keys and its NATS), for data that the public API does not
// return and for simulated faults.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PublicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { SignJWT } from 'jose';
import pg from 'pg';
import { countUnhandledEvents } from '../scripts/chaos/campaign/unhandled-events.ts';

type Inside = Pick<PublicApi, 'dataDir'>;

export function ownerUrl({ dataDir }: Inside): string {
  const home = path.join(dataDir, 'postgres');
  const port = readFileSync(path.join(home, 'cluster/postmaster.pid'), 'utf8').split('\n')[3];
  const password = readFileSync(path.join(home, 'password'), 'utf8').trim();
  return `postgres://clinic_owner:${password}@127.0.0.1:${port}/clinic`;
}

const owners = new Map<string, pg.Pool>();

/** Executes a statement as the owner, who sees all clinics. Connections stay open for a second, for tests that look again and again. */
// biome-ignore lint/suspicious/noExplicitAny: each statement has its own rows
export async function asOwner(product: Inside, statement: string, values: unknown[] = []): Promise<any[]> {
  const url = ownerUrl(product);
  const owner = owners.get(url) ?? new pg.Pool({ connectionString: url, idleTimeoutMillis: 1_000, allowExitOnIdle: true }).on('error', () => {});
  owners.set(url, owner);
  return (await owner.query(statement, values)).rows;
}

// Data that changes without a request: publication, links of the audit log, projections of platform, the record of daily runs, and usage.
const RESTLESS = ['outbox', 'audit_pending', 'audit_chain', 'clinics_seen', 'appointments_seen', 'recall_runs', 'clinic_usage', 'clinic_storage'];

// A message for a clinic whose chat was disconnected meanwhile is not sent either, but this changes its record.
const TO_SEND = `select 'messages to send', count(*)::int from messaging.sends where clinic_id = $1 and not_before < now() + interval '1 hour'`;
const unhandled = `select sum(n)::int as n from (${[...countUnhandledEvents('$1'), TO_SEND].join(' union all ')}) each`;

let tenantTables: Promise<string[]> | undefined;

/**
 * All rows of a clinic in all tables, as text by table. If they are equal before and after, nothing was written. Waits until the clinic's events are
 * handled and its messages are sent.
 */
export async function recordsOf(product: Inside, clinicId: string): Promise<Record<string, string[]>> {
  tenantTables ??= asOwner(
    product,
    `select table_schema || '.' || table_name as name from information_schema.columns
     where column_name = 'clinic_id' and 'clinic_' || table_schema in (select rolname from pg_roles) and not table_name = any($1) order by 1`,
    [RESTLESS],
  ).then((tables) => tables.map(({ name }) => name));
  await waitFor(async () => (await asOwner(product, unhandled, [clinicId]))[0].n === 0);
  const names = await tenantTables;
  const each = names.map((name) => `select '${name}' as name, t::text as record from ${name} t where clinic_id = $1`);
  const found: Record<string, string[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (const { name, record } of await asOwner(product, `${each.join(' union all ')} order by 1, 2`, [clinicId])) found[name]?.push(record);
  return found;
}

/** The number of audited changes of all services by requests whose id begins with `prefix`. */
export async function auditedFor(product: Inside, prefix: string): Promise<number> {
  const logs = await asOwner(product, `select table_schema || '.audit_log' as name from information_schema.tables where table_name = 'audit_log'`);
  const each = logs.map(({ name }) => `select 1 from ${name} where starts_with(request_id, $1)`);
  return (await asOwner(product, each.join(' union all '), [prefix])).length;
}

export function secret({ dataDir }: Inside, name: string): string {
  const line = readFileSync(path.join(dataDir, 'secrets.env'), 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}=`));
  if (!line) throw new Error(`no ${name} in secrets.env`);
  return line.slice(name.length + 1);
}

/** The key that signs access tokens, with its id. */
export function signingKey(product: Inside): { kid: string; key: KeyObject } {
  const first = secret(product, 'JWT_PRIVATE_KEYS').split(',')[0] ?? '';
  const [kid = '', der = ''] = [first.slice(0, first.indexOf(':')), first.slice(first.indexOf(':') + 1)];
  return { kid, key: createPrivateKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'pkcs8' }) };
}

type Forgery = { header?: Record<string, unknown>; claims?: Record<string, unknown>; key?: KeyObject };

/** A token of the same user as `token`, by default signed with the real key. `claims` and `header` replace fields; undefined removes one. */
export async function forge(product: Inside, token: string, { header = {}, claims = {}, key }: Forgery): Promise<string> {
  const real = signingKey(product);
  const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const wanted = Object.fromEntries(Object.entries({ ...payload, ...claims }).filter(([, value]) => value !== undefined));
  return new SignJWT(wanted).setProtectedHeader({ alg: 'ES256', kid: real.kid, ...header }).sign(key ?? real.key);
}
