// The figures of a period beside those of the period before.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { GetDashboardRequest } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../../app.ts';
import { readDashboard } from '../get-dashboard.ts';

export function getDashboard(app: App, request: GetDashboardRequest, call: Call) {
  return readDashboard(app, request, call);
}
