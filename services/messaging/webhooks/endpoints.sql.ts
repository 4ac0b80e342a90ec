// Webhook endpoints of the clinics, and the claims of senders on them.
import { type Db, execute, getRow, readSystem, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { isUnclaimed } from '@clinic/lib/db/has-passed.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { isAttempted, isNext, NEW_CLAIM_END } from './deliveries.sql.ts';

export type EndpointRow = {
  clinic_id: string;
  id: string;
  url: string;
  events: string[];
  description: string | null;
  is_active: boolean;
  disabled_reason: string | null;
  disabled_at: Date | null;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
  previous_secret_until: Date | null;
  failing_since: Date | null;
  created_at: Date;
  updated_at: Date;
};

const COLUMNS = `clinic_id, id, url, events, description, is_active, disabled_reason, disabled_at, secret_sealed, previous_secret_sealed,
  previous_secret_until, failing_since, created_at, updated_at`;

const listStatement = sql<EndpointRow & { total: number }>(`
  select counted.total, page.*
  from (select count(*)::int as total from webhook_endpoints where clinic_id = $1) counted
  left join lateral (select ${COLUMNS} from webhook_endpoints where clinic_id = $1 order by id desc limit $2 offset $3) page on true`);

export const listEndpoints = (db: Db, clinicId: string, limit: number, offset: number) => readPage(db, clinicId, listStatement, [clinicId, limit, offset]);

const lockAllStatement = sql("select pg_advisory_xact_lock(hashtextextended('webhook endpoints ' || $1::text, 0))");

const countStatement = sql<{ count: number }>('select count(*)::int as count from webhook_endpoints where clinic_id = $1');

/** The number of the clinic's endpoints. Other transactions cannot add one until this one ends. */
export async function lockAndCount(tx: TenantTx): Promise<number> {
  await execute(tx, lockAllStatement, [tx.clinicId]);
  return (await getRow(tx, countStatement, [tx.clinicId])).count;
}

type NewEndpoint = Pick<EndpointRow, 'id' | 'url' | 'events' | 'description' | 'secret_sealed'>;

const insertStatement = sql<EndpointRow>(`
  insert into webhook_endpoints (clinic_id, id, url, events, description, secret_sealed, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $7) returning ${COLUMNS}`);

export const insertEndpoint = (tx: TenantTx, { id, url, events, description, secret_sealed }: NewEndpoint, now: Date) =>
  getRow(tx, insertStatement, [tx.clinicId, id, url, events, description, secret_sealed, now]);

const lockStatement = sql<EndpointRow>(`select ${COLUMNS} from webhook_endpoints where clinic_id = $1 and id = $2 for update`);

export const lockEndpoint = (tx: TenantTx, id: string): Promise<EndpointRow | undefined> => row(tx, lockStatement, [tx.clinicId, id]);

const updateStatement = sql<EndpointRow>(`
  update webhook_endpoints set url = $3, events = $4, description = $5, is_active = $6, disabled_reason = $7, disabled_at = $8, updated_at = $9,
    failures = 0, failing_since = case when $6 then null else failing_since end, paused_until = null
  where clinic_id = $1 and id = $2 returning ${COLUMNS}`);

/** Also resets the failures and the pause, so that deliveries are attempted again at once. */
export function updateEndpoint(tx: TenantTx, endpoint: EndpointRow, now: Date) {
  const { id, url, events, description, is_active, disabled_reason, disabled_at } = endpoint;
  return getRow(tx, updateStatement, [tx.clinicId, id, url, events, description, is_active, disabled_reason, disabled_at, now]);
}

const rotateStatement = sql(`
  update webhook_endpoints set previous_secret_sealed = secret_sealed, previous_secret_until = $4, secret_sealed = $3, updated_at = $5
  where clinic_id = $1 and id = $2`);

export const rotateSecret = (tx: TenantTx, id: string, secret: Buffer, until: Date, now: Date) =>
  execute(tx, rotateStatement, [tx.clinicId, id, secret, until, now]);

const deleteStatement = sql<EndpointRow>(`delete from webhook_endpoints where clinic_id = $1 and id = $2 returning ${COLUMNS}`);

/** Undefined when the clinic has no such endpoint. */
export const deleteEndpoint = (tx: TenantTx, id: string) => row(tx, deleteStatement, [tx.clinicId, id]);

type Subscribed = Pick<EndpointRow, 'clinic_id' | 'id' | 'created_at'>;

const subscribedStatement = sql<Subscribed>(`
  select clinic_id, id, created_at from webhook_endpoints where clinic_id = any ($1::uuid[]) and is_active and $2 = any (events) order by id`);

/** The active endpoints of these clinics that want the events of a type. */
export const listSubscribed = (tx: SystemTx, clinicIds: string[], type: string): Promise<Subscribed[]> => rows(tx, subscribedStatement, [clinicIds, type]);

type ClinicEndpoints = {
  clinic_id: string;
  /** When the first endpoint was created, active or not. */
  since: Date;
  wanted: boolean;
};

const listKnownStatement = sql<ClinicEndpoints>(`
  select clinic_id, min(created_at) as since, bool_or(is_active and $2 = any (events)) as wanted
  from webhook_endpoints where clinic_id = any ($1::uuid[]) group by 1`);

/** Those of the clinics that have endpoints, and whether one of them is active and wants the events of a type. */
export const listKnown = (db: Db, clinicIds: string[], type: string): Promise<ClinicEndpoints[]> => readSystem(db, listKnownStatement, [clinicIds, type]);

export type Claimed = Pick<EndpointRow, 'clinic_id' | 'id'>;

// $1 now, $2 the claim, $3 the limit, $4 the endpoints to omit.
// A materialized common table expression runs once; a subquery of the join could run again and lock other rows.
const claimStatement = sql<Claimed>(`
  with due as materialized (
    select e.clinic_id, e.id from webhook_endpoints e
    where ${isAttempted('$1::timestamptz')} and ${isUnclaimed('e.claimed_until', 'now()')} and e.id <> all ($4::uuid[])
      and exists (select from webhook_deliveries d where d.clinic_id = e.clinic_id and d.endpoint_id = e.id and ${isNext('$1::timestamptz')})
    limit $3 for update skip locked
  )
  update webhook_endpoints e set claim = $2, claimed_until = ${NEW_CLAIM_END} from due
  where e.clinic_id = due.clinic_id and e.id = due.id returning e.clinic_id, e.id`);

/** Claims endpoints with due deliveries that no sender has claimed, except those on which the caller still works although its claim has ended. */
export const claimEndpoints = (tx: SystemTx, now: Date, claim: string, limit: number, working: string[]): Promise<Claimed[]> =>
  rows(tx, claimStatement, [now, claim, limit, working]);

const releaseStatement = sql('update webhook_endpoints set claim = null, claimed_until = null where clinic_id = $1 and id = $2 and claim = $3');

export const releaseEndpoint = (tx: SystemTx, { clinic_id, id }: Claimed, claim: string) => execute(tx, releaseStatement, [clinic_id, id, claim]);

const succeededStatement = sql(`
  update webhook_endpoints set failures = 0, failing_since = null, paused_until = null
  where clinic_id = $1 and id = $2 and (failures > 0 or failing_since is not null)`);

export const setSucceeded = (tx: SystemTx, { clinic_id, id }: Claimed) => execute(tx, succeededStatement, [clinic_id, id]);

// Admins may have disabled or corrected the endpoint during the attempt. Then the failure says nothing about the endpoint as it is now.
const failedStatement = sql(`
  update webhook_endpoints set failures = $3, failing_since = $4, paused_until = $5, is_active = $6::text is null, disabled_reason = $6,
    disabled_at = case when $6 is not null then $7::timestamptz end
  where clinic_id = $1 and id = $2 and is_active and updated_at = $8`);

type Failed = { failures: number; failingSince: Date; pausedUntil: Date | null; disabled: string | null };

/** Returns whether the endpoint is unchanged since `updatedAt`. Otherwise nothing is saved. */
export async function setFailed(tx: SystemTx, { clinic_id, id }: Claimed, outcome: Failed, updatedAt: Date, now: Date): Promise<boolean> {
  const { failures, failingSince, pausedUntil, disabled } = outcome;
  return (await execute(tx, failedStatement, [clinic_id, id, failures, failingSince, pausedUntil, disabled, now, updatedAt])) === 1;
}
