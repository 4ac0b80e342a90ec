// The audit log as a table for spreadsheets.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { MOST_ENTRIES } from '@clinic/lib/audit-rpc.ts';
import { invalid } from '@clinic/lib/errors.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ExportAuditLogRequest } from '@clinic/proto/identity/v1/audit_pb.js';
import type { App } from '../app.ts';
import { changesOf, type Entry, readAuditLog } from '../read-audit-log.ts';
import { toCsv } from '../rules/csv.ts';

const HEADER = ['at', 'service', 'actor_kind', 'actor_id', 'actor_name', 'action', 'entity', 'entity_id', 'changes', 'ip', 'request_id', 'id'];

export async function exportAuditLog(app: App, request: ExportAuditLogRequest, call: Call) {
  const { entries, total } = await readAuditLog(app, call, request, 0, MOST_ENTRIES);
  if (total > MOST_ENTRIES) invalid('from', `${total} entries fit and at most ${MOST_ENTRIES} go into one file: narrow the time with from and to`);
  const csv = toCsv(HEADER, entries.map(lineOf));
  return { content: Buffer.from(csv), contentType: 'text/csv; charset=utf-8', filename: 'audit-log.csv' };
}

function lineOf(entry: Entry): string[] {
  const at = entry.at ? timestampDate(entry.at).toISOString() : '';
  const changes = changesOf(entry).map(({ field, from = '', to = '' }) => `${field}: ${from} → ${to}`);
  const { service, actorKind, actorId, actorName = '', action, entity, entityId, ip, requestId, id } = entry;
  return [at, service, actorKind, actorId, actorName, action, entity, entityId, changes.join('; '), ip, requestId, id];
}
