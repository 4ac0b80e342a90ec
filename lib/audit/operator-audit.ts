// The audit log entries of operators in one service; platform merges those of all services.
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { type Db, readSystem, sql } from '../db/db.ts';
import { parsePage } from '../formats/page.ts';
import { toDate } from '../formats/timestamp.ts';
import { toFields } from '../formats/to-fields.ts';
import { NO_CLINIC } from '../formats/uuid.ts';
import { hasAction, toCurrentAction, toStoredActions } from './audit-actions.ts';
import { toAuditChanges } from './audit-changes.ts';
import type { EntryRow } from './audit-rpc.ts';

/** Absent fields match every entry. */
type OperatorActionFilter = {
  operator?: string | undefined;
  action?: string | undefined;
  entity?: string | undefined;
  entityId?: string | undefined;
  from?: Timestamp | undefined;
  to?: Timestamp | undefined;
  page: number;
  limit: number;
};

type OperatorEntryRow = EntryRow & { clinic_id: string; changes: Record<string, unknown> | null };

const WHERE = `actor_kind = 'operator' and ($1::text is null or actor_id = $1) and ${hasAction(2)} and ($3::text is null or entity = $3)
  and ($4::text is null or entity_id = $4) and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)`;
const listStatement = sql<OperatorEntryRow>(`
  select id, at, actor_id, action, entity, entity_id, clinic_id, changes, ip, request_id from audit_log
  where ${WHERE} order by at desc, id desc limit $7 offset $8`);
const countStatement = sql<{ count: number }>(`select count(*)::int as count from audit_log where ${WHERE}`);

/** A page of the entries by operators, newest first. As the system, because they belong to all clinics. */
export async function listOperatorAuditEntries(db: Db, request: OperatorActionFilter) {
  const { page, limit, offset } = parsePage(request, 50, 10_000);
  const { operator = null, action = null, entity = null, entityId = null } = request;
  const filter = [operator, action === null ? null : toStoredActions(action), entity, entityId, toDate(request.from), toDate(request.to)];
  const [entries, [counted]] = await Promise.all([readSystem(db, listStatement, [...filter, limit, offset]), readSystem(db, countStatement, filter)]);
  const actions = entries.map((entry) => ({
    ...toFields(entry),
    action: toCurrentAction(entry.entity, entry.action),
    operator: entry.actor_id,
    clinicId: entry.clinic_id === NO_CLINIC ? undefined : entry.clinic_id,
    changes: toAuditChanges(entry.changes),
  }));
  return { actions, total: counted?.count ?? 0, page, limit };
}
