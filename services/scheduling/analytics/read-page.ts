// The page of figures of a period, ready to be written as SVG or PDF.

import { create } from '@bufbuild/protobuf';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { DashboardSchema } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../app.ts';
import { drawPage } from './charts/page.ts';
import { readDashboard, readHours, readPeriod } from './get-dashboard.ts';

export async function readPage(app: App, request: { from?: string | undefined; to?: string | undefined }, call: Call) {
  const { id, timezone } = clinicOf(call);
  const period = readPeriod(request, dateIn(timezone, app.clock.now()));
  const [told, hours, head] = await Promise.all([
    readDashboard(app, request, call),
    readHours(app, id, period),
    app.profile.getClinicProfile({}, callAs(call.caller)),
  ]);
  const dashboard = create(DashboardSchema, told);
  const cells = hours.filter(({ current }) => current);
  return { dashboard, head, shapes: drawPage(dashboard, cells, head) };
}
