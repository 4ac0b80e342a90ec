// The clinic's audit log over all services: a page, and as CSV one page at a time.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { toCsv } from '@clinic/lib/formats/csv.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ExportAuditLogRequest, ListAuditLogRequest } from '@clinic/proto/identity/v1/audit_pb.js';
import type { App } from '../app.ts';
import { findEntries } from './find-entries.ts';

export async function listAuditLog(app: App, request: ListAuditLogRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { entries, total, nextCursor } = await findEntries(app, call, request, { cursor: request.cursor, offset, limit });
  return { entries, total, page, limit, nextCursor };
}

const PAGE = 1_000;
const HEADER = ['at', 'service', 'actor_kind', 'actor_id', 'actor_name', 'action', 'entity', 'entity_id', 'changes', 'ip', 'request_id', 'id'];

export async function exportAuditLog(app: App, request: ExportAuditLogRequest, call: Call) {
  const { cursor } = request;
  const { entries, nextCursor = '' } = await findEntries(app, call, request, { cursor, offset: 0, limit: PAGE });
  return { content: Buffer.from(toCsv(entries.map(toLine), cursor === '' ? HEADER : undefined)), nextCursor };
}

type Entry = Awaited<ReturnType<typeof findEntries>>['entries'][number];

function toLine(entry: Entry): string[] {
  const at = entry.at ? timestampDate(entry.at).toISOString() : '';
  const changes = entry.changes.map(({ field, from = '', to = '' }) => `${field}: ${from} → ${to}`);
  const { service, actorKind, actorId, actorName = '', action, entity, entityId, ip, requestId, id } = entry;
  return [at, service, actorKind, actorId, actorName, action, entity, entityId, changes.join('; '), ip, requestId, id];
}
