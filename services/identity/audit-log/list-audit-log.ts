// A page of the clinic's audit log over all services.
import { parsePage } from '@clinic/lib/formats/page.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ListAuditLogRequest } from '@clinic/proto/identity/v1/audit_pb.js';
import type { App } from '../app.ts';
import { findEntries } from './find-entries.ts';

export async function listAuditLog(app: App, request: ListAuditLogRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { entries, total, nextCursor } = await findEntries(app, call, request, { cursor: request.cursor, offset, limit });
  return { entries, total, page, limit, nextCursor };
}
