// Chairs and rooms, and the times at which they are taken.
import { alphabetical } from '@clinic/lib/db/alphabetical.ts';
import { type Db, execute, getRow, readTenant, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { addDays } from '@clinic/lib/formats/local-date.ts';

export const RESOURCE_KINDS = ['chair', 'room'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

type ResourceRow = { clinic_id: string; id: string; name: string; kind: ResourceKind; created_at: Date; updated_at: Date };

const COLUMNS = 'clinic_id, id, name, kind, created_at, updated_at';

const listStatement = sql<ResourceRow & { total: number }>(`
  select counted.total, page.*
  from (select count(*)::int as total from resources where clinic_id = $1 and is_active and ($4::text is null or kind = $4)) counted
  left join lateral (
    select ${COLUMNS} from resources where clinic_id = $1 and is_active and ($4::text is null or kind = $4) order by ${alphabetical('name')}, id limit $2 offset $3
  ) page on true`);

export const listResources = (db: Db, clinicId: string, kind: ResourceKind | null, limit: number, offset: number) =>
  readPage(db, clinicId, listStatement, [clinicId, limit, offset, kind]);

const insertStatement = sql<ResourceRow>(`
  insert into resources (clinic_id, id, name, kind, created_at, updated_at) values ($1, $2, $3, $4, $5, $5) returning ${COLUMNS}`);

/** Violates resources_name_unique when the clinic has one with this name. */
export const insertResource = (tx: TenantTx, resource: { id: string; name: string; kind: ResourceKind }, now: Date) =>
  getRow(tx, insertStatement, [tx.clinicId, resource.id, resource.name, resource.kind, now]);

const lockStatement = sql<ResourceRow>(`select ${COLUMNS} from resources where clinic_id = $1 and id = $2 and is_active for update`);

export const lockResource = (tx: TenantTx, id: string) => row(tx, lockStatement, [tx.clinicId, id]);

const renameStatement = sql<ResourceRow>(`update resources set name = $3, updated_at = $4 where clinic_id = $1 and id = $2 returning ${COLUMNS}`);

/** Violates resources_name_unique when the clinic has another one with this name. */
export const renameResource = (tx: TenantTx, id: string, name: string, now: Date) => getRow(tx, renameStatement, [tx.clinicId, id, name, now]);

const deactivateStatement = sql('update resources set is_active = false, updated_at = $3 where clinic_id = $1 and id = $2 and is_active');

/** Returns whether the clinic had the resource. */
export const deactivateResource = async (tx: TenantTx, id: string, now: Date) => (await execute(tx, deactivateStatement, [tx.clinicId, id, now])) === 1;

/** One resource, or all active ones of a kind. */
type Wanted = { id: string | null; kind: string | null };

const MATCHES = 'r.clinic_id = $1 and r.is_active and (r.id = $2 or ($2::uuid is null and r.kind = $3))';
const lockAllStatement = sql(`select from resources r where ${MATCHES} order by r.id for no key update`);

/** Locks resources until the transaction ends. The doctor's calendar must be locked before. */
export const lockResources = (tx: TenantTx, { id, kind }: Wanted) => execute(tx, lockAllStatement, [tx.clinicId, id, kind]);

const lockFreeStatement = sql<{ id: string }>('select id from resources where clinic_id = $1 and is_active and kind = $2 for no key update skip locked');

/** Locks the resources of a kind that no other transaction has locked, and returns their ids. */
export const lockFreeResources = async (tx: TenantTx, kind: string) => (await rows(tx, lockFreeStatement, [tx.clinicId, kind])).map(({ id }) => id);

/** `busy` are pairs of epoch milliseconds. */
export type BusyResource = { id: string; kind: ResourceKind; busy: [number, number][] };

// $4 and $5 dates around the span, $6 and $7 its instants, $9 an appointment and $10 a draft to ignore.
const busyStatement = sql<BusyResource>(`
  select r.id, r.kind,
    (select coalesce(json_agg(json_build_array(extract(epoch from lower(taken.busy)) * 1000, extract(epoch from upper(taken.busy)) * 1000)), '[]')
     from (
       select a.busy from appointments a
       where a.clinic_id = $1 and a.resource_id = r.id and a.appointment_date between $4::date and $5::date
         and a.busy && tstzrange($6, $7) and a.status in ('confirmed', 'pending') and a.id is distinct from $9::uuid
       union all
       select s.busy from slot_drafts s
       where s.clinic_id = $1 and s.resource_id = r.id and s.busy && tstzrange($6, $7) and s.expires_at > $8 and s.id is distinct from $10::uuid
     ) taken) as busy
  from resources r where ${MATCHES} order by ${alphabetical('r.name')}, r.id`);

/** Local dates, the last included, and the instants that holds of these days can reach. */
export type Span = { first: string; last: string; start: Date; end: Date };

/** An appointment that is moved and a draft that is redeemed do not count as busy. */
export type Except = { appointmentId?: string | undefined; draftId?: string | undefined };

/** The resources by name, each with the times at which it is taken. */
export const listBusyResourcesIn = (tx: TenantTx, wanted: Wanted, span: Span, now: Date, except: Except = {}) =>
  rows(tx, busyStatement, valuesOf(tx.clinicId, wanted, span, now, except));

/** listBusyResourcesIn() outside of a transaction. */
export const listBusyResources = (db: Db, clinicId: string, wanted: Wanted, span: Span, now: Date, except: Except) =>
  readTenant(db, clinicId, busyStatement, valuesOf(clinicId, wanted, span, now, except));

function valuesOf(clinicId: string, { id, kind }: Wanted, { first, last, start, end }: Span, now: Date, except: Except) {
  const reach = [addDays(first, -1), addDays(last, 1), start, end, now];
  return [clinicId, id, kind, ...reach, except.appointmentId ?? null, except.draftId ?? null];
}
