// A page of the clinic's audit log over all services.
import { parsePage } from '@clinic/lib/formats/page.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ListAuditLogRequest } from '@clinic/proto/identity/v1/audit_pb.js';
import type { App } from '../app.ts';
import { changesOf, readAuditLog } from './read-audit-log.ts';

export async function listAuditLog(app: App, request: ListAuditLogRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { entries, total, nextCursor } = await readAuditLog(app, call, request, { cursor: request.cursor, offset, limit });
  return {
    entries: entries.map(({ id, at, service, actorKind, actorId, actorName, action, entity, entityId, ip, requestId, changes }) => ({
      id,
      at,
      service,
      actorKind,
      actorId,
      actorName,
      action,
      entity,
      entityId,
      ip,
      requestId,
      changes: changesOf({ changes }),
    })),
    total,
    page,
    limit,
    nextCursor,
  };
}
