// Operators publish, list and withdraw notices to the users of all clinics.
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotentForOperator } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type ListNoticesRequest, OperationsService, type PublishNoticeRequest, type WithdrawNoticeRequest } from '@clinic/proto/identity/v1/operations_pb.js';
import { NIL, v7 } from 'uuid';
import type { App } from '../app.ts';
import { deleteNotice, insertNotice, listNotices as list, SEVERITIES, toProto } from './operator-notices.sql.ts';
import { parsePeriod } from './period-rules.ts';

export async function listNotices(app: App, request: ListNoticesRequest) {
  const { page, limit, ...rest } = parsePage(request, 50, 500);
  const { notices, total } = await list(app.db, { page, limit, ...rest });
  return { notices: notices.map(toProto), total, page, limit };
}

export async function publishNotice(app: App, request: PublishNoticeRequest, call: Call) {
  const now = app.clock.now();
  const severity = parseOneOf('severity', request.severity ?? 'info', SEVERITIES);
  const notice = { id: v7(), severity, message: parseText('message', request.message, 1_000), ...parsePeriod(request, now) };
  return idempotentForOperator(app.db, call, OperationsService.method.publishNotice, request, async (tx) => {
    const { id, ...changes } = notice;
    await Promise.all([insertNotice(tx, notice, now), audit(tx, NIL, call.caller, { action: 'operator_notice.published', entityId: id, changes })]);
    return toProto(notice);
  });
}

export async function withdrawNotice(app: App, { id }: WithdrawNoticeRequest, { caller }: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Notice not found');
  return asSystem(app.db, async (tx) => {
    const withdrawn = found(await deleteNotice(tx, id), 'Notice');
    await audit(tx, NIL, caller, { action: 'operator_notice.withdrawn', entityId: id });
    return toProto(withdrawn);
  });
}
