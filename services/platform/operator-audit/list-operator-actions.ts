// What operators did, in every service that they can change something in, as one list.

import { create } from '@bufbuild/protobuf';
import { listOperatorAuditEntries } from '@clinic/lib/audit/operator-audit.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type ListOperatorActionsRequest, ListOperatorActionsResponseSchema } from '@clinic/proto/platform/v1/operator_audit_pb.js';
import type { App } from '../app.ts';
import { mergePages } from './merge-pages-rules.ts';

/** Each service gives the whole head of its list, so the depth is bounded: filters reach further. */
const DEEPEST = 10_000;

export async function listOperatorActions(app: App, request: ListOperatorActionsRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  if (offset + limit > DEEPEST) invalid('page', `must not reach beyond ${DEEPEST} lines: filter by from and to instead`);
  const head = { ...request, page: 1, limit: offset + limit };
  const options = callAs(serviceCaller('platform', call.caller.requestId));
  const heads = await Promise.all([
    listOperatorAuditEntries(app.db, head).then((own) => create(ListOperatorActionsResponseSchema, own)),
    app.identity.listOperatorActions(head, options),
    app.billing.listOperatorActions(head, options),
  ]);
  return { ...mergePages(heads, offset, limit), page, limit };
}
