// Every service serves its own audit log with this implementation; identity merges the logs of all services.
import { AuditService, type ListAuditEntriesRequest } from '@clinic/proto/common/v1/audit_pb.js';
import { type Db, sql } from '../db/db.ts';
import { readPage } from '../db/read-page.ts';
import { parseInteger } from '../formats/numbers.ts';
import { toDate } from '../formats/timestamp.ts';
import { toFields } from '../formats/to-fields.ts';
import { parseUuid } from '../formats/uuid.ts';
import { type Call, clinicOf, implement } from '../rpc/pipeline.ts';
import type { Log } from '../telemetry/log.ts';
import { hasAction, toCurrentAction, toStoredActions } from './audit-actions.ts';

/** Maximum number of entries in a response. */
export const MAX_ENTRIES = 5_000;

export type EntryRow = { id: string; at: Date; actor_id: string; action: string; entity: string; entity_id: string; ip: string; request_id: string };
type ClinicEntryRow = EntryRow & { actor_kind: string; changes: string | null; total: number };

const MATCHES = `clinic_id = $1 and ($2::timestamptz is null or at >= $2) and ($3::timestamptz is null or at < $3)
  and ($4 = '' or actor_id = $4) and ${hasAction(5)} and ($6 = '' or entity = $6) and ($7 = '' or entity_id = $7)`;

const COLUMNS = `id, at, actor_kind, actor_id, action, entity, entity_id, ip, request_id,
  (case when personal.changes is null then audit_log.changes else coalesce(audit_log.changes, '{}') || personal.changes end)::text as changes`;

const ENTRIES = `audit_log left join lateral (
  select p.changes from audit_personal p where p.clinic_id = audit_log.clinic_id and p.id = audit_log.id) personal on true`;

/** Returns at least one row, so that the total is known when no entry matches. */
const listStatement = sql<ClinicEntryRow>(`
  select counted.total, page.* from (select count(*)::int as total from audit_log where ${MATCHES}) counted
  left join lateral (select ${COLUMNS} from ${ENTRIES} where ${MATCHES} order by at desc, id desc limit $8) page on true`);

/** Entries that precede the entry $9 in time; the total is not counted. */
const listOlderStatement = sql<ClinicEntryRow>(`
  select 0 as total, ${COLUMNS} from ${ENTRIES}
  where ${MATCHES} and (at, id) < ((select at from audit_log where clinic_id = $1 and id = $9), $9::uuid)
  order by at desc, id desc limit $8`);

export function auditRpc(app: { db: Db; log: Log }) {
  return implement({ ...app, constraints: {} }, AuditService, { listAuditEntries });
}

async function listAuditEntries({ db }: { db: Db }, request: ListAuditEntriesRequest, call: Call) {
  const { id } = clinicOf(call);
  const limit = parseInteger('limit', request.limit, 1, MAX_ENTRIES);
  const { from, to, actor, action, entity, entityId, beforeId } = request;
  const values = [id, toDate(from), toDate(to), actor, action === '' ? null : toStoredActions(action), entity, entityId, limit];
  const { rows, total } = await (beforeId === ''
    ? readPage(db, id, listStatement, values)
    : readPage(db, id, listOlderStatement, [...values, parseUuid('beforeId', beforeId)]));
  return {
    entries: rows.map((entry) => ({ ...toFields(entry), action: toCurrentAction(entry.entity, entry.action), changes: entry.changes ?? '' })),
    total,
  };
}
