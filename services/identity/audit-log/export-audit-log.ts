// The audit log as a table for spreadsheets, a page at a time.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { toCsv } from '@clinic/lib/formats/csv.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ExportAuditLogRequest } from '@clinic/proto/identity/v1/audit_pb.js';
import type { App } from '../app.ts';
import { changesOf, type Entry, readAuditLog } from './read-audit-log.ts';

const PAGE = 1_000;
const HEADER = ['at', 'service', 'actor_kind', 'actor_id', 'actor_name', 'action', 'entity', 'entity_id', 'changes', 'ip', 'request_id', 'id'];

export async function exportAuditLog(app: App, request: ExportAuditLogRequest, call: Call) {
  const { cursor } = request;
  const { entries, nextCursor = '' } = await readAuditLog(app, call, request, { cursor, offset: 0, limit: PAGE });
  return { content: Buffer.from(toCsv(entries.map(lineOf), cursor === '' ? HEADER : undefined)), nextCursor };
}

function lineOf(entry: Entry): string[] {
  const at = entry.at ? timestampDate(entry.at).toISOString() : '';
  const changes = changesOf(entry).map(({ field, from = '', to = '' }) => `${field}: ${from} → ${to}`);
  const { service, actorKind, actorId, actorName = '', action, entity, entityId, ip, requestId, id } = entry;
  return [at, service, actorKind, actorId, actorName, action, entity, entityId, changes.join('; '), ip, requestId, id];
}
