// The audit log of a clinic over all services: the newest entries of each service, merged into one order.
import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { toAuditChanges } from '@clinic/lib/audit/audit-changes.ts';
import { MAX_ENTRIES } from '@clinic/lib/audit/audit-rpc.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { findKeyNames } from '../integration-keys/integration-keys.sql.ts';
import { findNames } from '../users/users.sql.ts';
import { fromCursor, toCursor } from './audit-cursor-rules.ts';
import { mergeNewest } from './audit-merge-rules.ts';

type Filter = { from?: Timestamp | undefined; to?: Timestamp | undefined; actor: string; action: string; entity: string; entityId: string };
/** Where a page begins: after the page that returned the cursor or, if the cursor is empty, at an offset. */
type Place = { cursor: string; offset: number; limit: number };

/** A page, the total number of matches, and the cursor of the next page (undefined after the last). Throws VALIDATION_ERROR if the offset is too high. */
export async function findEntries(app: App, call: Call, filter: Filter, { cursor, offset, limit }: Place) {
  const { from, to, actor, action, entity, entityId } = filter;
  if (from && to && timestampDate(from) > timestampDate(to)) invalid('to', 'must not be before from');
  const position = cursor === '' ? undefined : (fromCursor(cursor) ?? invalid('cursor', 'must be the next_cursor of a response'));
  const skip = position ? 0 : offset;
  if (skip + limit > MAX_ENTRIES)
    invalid('page', `goes beyond the newest ${MAX_ENTRIES} entries: continue with next_cursor, or narrow the period with from and to`);
  const end = earlier(to, position?.at);
  const request = { ...(from && { from }), ...(end && { to: end }), actor, action, entity, entityId, limit: skip + limit };
  const logs = await Promise.all(
    app.auditLogs.map(async ({ service, log }) => {
      const { entries, total } = await log.listAuditEntries({ ...request, beforeId: position?.after[service] ?? '' }, callAs(call.caller));
      return { total, entries: entries.map((entry) => ({ id: entry.id, at: entry.at ? timestampDate(entry.at) : new Date(0), service, entry })) };
    }),
  );
  const lists = logs.map(({ entries }) => entries);
  const { page, taken } = mergeNewest(lists, skip, limit);
  const idsOf = (kind: string) => [...new Set(page.flatMap(({ entry }) => (entry.actorKind === kind ? [entry.actorId] : [])))];
  const { id: clinicId } = clinicOf(call);
  const [users, keys] = await Promise.all([findNames(app.db, clinicId, idsOf('user')), findKeyNames(app.db, clinicId, idsOf('integration_key'))]);
  const total = position?.total ?? logs.reduce((sum, log) => sum + log.total, 0);
  const shown = (position?.shown ?? skip) + page.length;
  const after = { ...position?.after };
  for (const [index, list] of lists.entries()) {
    const last = list[(taken[index] ?? 0) - 1];
    if (last) after[last.service] = last.id;
  }
  const nextCursor = page.length > 0 && shown < total ? toCursor({ total, shown, after, at: page.at(-1)?.at.getTime() }) : undefined;
  const entries = page.map(({ service, entry: { $typeName, changes, ...entry } }) => ({
    ...entry,
    service,
    actorName: users.get(entry.actorId) ?? keys.get(entry.actorId),
    changes: toAuditChanges(changes === '' ? null : (JSON.parse(changes) as Record<string, unknown>)),
  }));
  return { entries, total, nextCursor };
}

/** The end of the period that contains the entries before `to` and those of the millisecond `at` or earlier. */
function earlier(to: Timestamp | undefined, at: number | undefined): Timestamp | undefined {
  if (at === undefined) return to;
  return timestampFromDate(new Date(Math.min(at + 1, to ? timestampDate(to).getTime() : Number.POSITIVE_INFINITY)));
}
