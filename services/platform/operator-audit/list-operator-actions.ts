// The actions of operators, merged from the audit logs of the services in which operators change data: this one, identity, billing, messaging.
import { create } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { listOperatorAuditEntries } from '@clinic/lib/audit/operator-audit.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type ListOperatorActionsRequest, ListOperatorActionsResponseSchema } from '@clinic/proto/platform/v1/operator_audit_pb.js';
import type { App } from '../app.ts';
import { mergePages } from './merge-pages-rules.ts';

/** Each service returns all entries up to the page, so their number is limited. Older entries can be found with filters. */
const MAX_ENTRIES = 10_000;

export async function listOperatorActions(app: App, request: ListOperatorActionsRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { from, to } = request;
  if (from && to && timestampDate(from) > timestampDate(to)) invalid('to', 'must not be before from');
  if (offset + limit > MAX_ENTRIES) invalid('page', `must not go beyond the newest ${MAX_ENTRIES} entries: narrow the period with from and to`);
  const firstEntries = { ...request, page: 1, limit: offset + limit };
  const options = callAs(serviceCaller('platform', call.caller.requestId));
  const lists = await Promise.all([
    listOperatorAuditEntries(app.db, firstEntries).then((own) => create(ListOperatorActionsResponseSchema, own)),
    app.identity.listOperatorActions(firstEntries, options),
    app.billing.listOperatorActions(firstEntries, options),
    app.messaging.listOperatorActions(firstEntries, options),
  ]);
  return { ...mergePages(lists, offset, limit), page, limit };
}
