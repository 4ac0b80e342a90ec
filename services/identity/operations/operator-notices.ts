// Operators create, list and delete notices to the users of all clinics.
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { isUuid, NO_CLINIC } from '@clinic/lib/formats/uuid.ts';
import { idempotentWithoutClinic } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateNoticeRequest, type DeleteNoticeRequest, type ListNoticesRequest, OperationsService } from '@clinic/proto/identity/v1/operations_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { deleteNotice as deleteRow, insertNotice, listNotices as list, SEVERITIES, toProto } from './operator-notices.sql.ts';
import { parsePeriod } from './period-rules.ts';

export async function listNotices(app: App, request: ListNoticesRequest) {
  const page = parsePage(request, 50, 500);
  const { notices, total } = await list(app.db, page);
  return { notices: notices.map(toProto), total, page: page.page, limit: page.limit };
}

export async function createNotice(app: App, request: CreateNoticeRequest, call: Call) {
  const now = app.clock.now();
  const severity = parseOneOf('severity', request.severity ?? 'info', SEVERITIES);
  const message = parseText('message', request.message, 1_000);
  return idempotentWithoutClinic(app.db, call, OperationsService.method.createNotice, request, async (tx) => {
    const changes = { severity, message, ...parsePeriod(request, now) }; // a repeated request gets its response after the notice has ended, too
    const id = v7();
    const notice = { id, ...changes };
    await Promise.all([insertNotice(tx, notice, now), audit(tx, NO_CLINIC, call.caller, { action: 'operator_notice.created', entityId: id, changes })]);
    return toProto(notice);
  });
}

export async function deleteNotice(app: App, { id }: DeleteNoticeRequest, { caller }: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Notice not found');
  return asSystem(app.db, async (tx) => {
    const deleted = found(await deleteRow(tx, id), 'Notice');
    await audit(tx, NO_CLINIC, caller, { action: 'operator_notice.deleted', entityId: id });
    return toProto(deleted);
  });
}
