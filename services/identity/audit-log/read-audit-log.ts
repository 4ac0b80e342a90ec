// The audit log of a clinic over all services: each is asked for its newest entries, and they are put in one order.
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { MAX_ENTRIES } from '@clinic/lib/audit/audit-rpc.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { AuditLogEntry } from '@clinic/proto/common/v1/audit_pb.js';
import type { App } from '../app.ts';
import { findNames } from '../users/users.sql.ts';
import { fromCursor, toCursor } from './audit-cursor-rules.ts';
import { mergeNewest } from './audit-merge-rules.ts';

export type Filter = { from?: Timestamp | undefined; to?: Timestamp | undefined; actor: string; action: string; entity: string; entityId: string };
export type Entry = AuditLogEntry & { service: string; actorName: string | undefined };
/** Where a page begins: behind the one whose next_cursor it was, or, with an empty cursor, at an offset. */
export type Place = { cursor: string; offset: number; limit: number };

/** A page, how many entries fit, and where the next page begins: undefined after the last. VALIDATION_ERROR when an offset lies too far back. */
export async function readAuditLog(app: App, call: Call, filter: Filter, { cursor, offset, limit }: Place) {
  const { from, to, actor, action, entity, entityId } = filter;
  if (from && to && timestampDate(from) > timestampDate(to)) invalid('to', 'must not be before from');
  const begun = cursor === '' ? undefined : (fromCursor(cursor) ?? invalid('cursor', 'must be the next_cursor of an answer'));
  const skip = begun ? 0 : offset;
  if (skip + limit > MAX_ENTRIES) invalid('page', `reaches back more than ${MAX_ENTRIES} entries: go on by next_cursor, or narrow the time with from and to`);
  const request = { ...(from && { from }), ...(to && { to }), actor, action, entity, entityId, limit: skip + limit };
  const logs = await Promise.all(
    app.auditLogs.map(async ({ service, log }) => {
      const { entries, total } = await log.listAuditEntries({ ...request, beforeId: begun?.after[service] ?? '' }, callAs(call.caller));
      return { total, entries: entries.map((entry) => ({ ...entry, service, at: entry.at ? timestampDate(entry.at) : new Date(0), told: entry.at })) };
    }),
  );
  const { page, taken } = mergeNewest(
    logs.map(({ entries }) => entries),
    skip,
    limit,
  );
  const userIds = new Set(page.filter(({ actorKind }) => actorKind === 'user').map(({ actorId }) => actorId));
  const names = await findNames(app.db, clinicOf(call).id, [...userIds]);
  const total = begun?.total ?? logs.reduce((sum, log) => sum + log.total, 0);
  const shown = (begun?.shown ?? skip) + page.length;
  const after = { ...begun?.after };
  for (const [index, { entries }] of logs.entries()) {
    const last = entries[(taken[index] ?? 0) - 1];
    if (last) after[last.service] = last.id;
  }
  const nextCursor = page.length > 0 && shown < total ? toCursor({ total, shown, after }) : undefined;
  return { entries: page.map(({ told, ...entry }) => ({ ...entry, at: told, actorName: names.get(entry.actorId) }) as Entry), total, nextCursor };
}

export type Change = { field: string; from: string | undefined; to: string | undefined };

/** The changes that an entry tells, as text. */
export function changesOf({ changes }: { changes: string }): Change[] {
  const told = changes === '' ? {} : (JSON.parse(changes) as Record<string, unknown>);
  return Object.entries(told).map(([field, value]) => {
    const pair =
      typeof value === 'object' && value !== null && ('from' in value || 'to' in value) ? (value as { from?: unknown; to?: unknown }) : { to: value };
    return { field, from: textOf(pair.from), to: textOf(pair.to) };
  });
}

function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
