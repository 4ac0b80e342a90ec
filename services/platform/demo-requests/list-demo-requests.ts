// Demo requests, for operators.
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { ListDemoRequestsRequest } from '@clinic/proto/platform/v1/demo_request_pb.js';
import type { App } from '../app.ts';
import { listDemoRequestsBy, STATUSES } from './demo-requests.sql.ts';

export async function listDemoRequests(app: App, request: ListDemoRequestsRequest) {
  const status = parseOneOf('status', request.status ?? 'all', [...STATUSES, 'all']);
  const requests = await listDemoRequestsBy(app.db, status === 'all' ? null : status);
  return { demoRequests: requests.map(toFields) };
}
