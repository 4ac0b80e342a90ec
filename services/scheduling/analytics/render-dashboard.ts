// The dashboard as a picture and as a PDF: the same page, laid out once.
import { create } from '@bufbuild/protobuf';
import { inTenant } from '@clinic/lib/db/db.ts';
import { toSvgFile } from '@clinic/lib/formats/svg.ts';
import { toPdfFile } from '@clinic/lib/pdf/pdf.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { DashboardSchema, type DrawDashboardRequest, type PrintDashboardRequest } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../app.ts';
import { descriptionOf, HEIGHT, layOutPage, titleOf, WIDTH } from './charts/page.ts';
import { toPdf } from './charts/pdf.ts';
import { toSvg } from './charts/svg.ts';
import { getDashboard, parsePeriod } from './get-dashboard.ts';
import { findHourSums } from './sql/dashboard.sql.ts';

export async function drawDashboard(app: App, request: DrawDashboardRequest, call: Call) {
  const { dashboard, header, shapes } = await pageOf(app, request, call);
  const svg = toSvg(WIDTH, HEIGHT, { title: titleOf(dashboard, header), description: descriptionOf(dashboard, header) }, shapes);
  return toSvgFile(svg);
}

export async function printDashboard(app: App, request: PrintDashboardRequest, call: Call) {
  const { dashboard, header, shapes } = await pageOf(app, request, call);
  const { from, to } = dashboard;
  // Dated by its period, so that the same figures give the same bytes.
  const content = await toPdf(WIDTH, HEIGHT, { title: titleOf(dashboard, header), at: new Date(to) }, shapes);
  return toPdfFile(content, `tablero-${from}-${to}.pdf`);
}

async function pageOf(app: App, request: DrawDashboardRequest | PrintDashboardRequest, call: Call) {
  const period = parsePeriod(app, request, call);
  const [figures, hours, header] = await Promise.all([
    getDashboard(app, request, call),
    inTenant(app.db, clinicOf(call).id, (tx) => findHourSums(tx, period)),
    app.profile.getClinicProfile({}, callAs(call.caller)),
  ]);
  const dashboard = create(DashboardSchema, figures);
  const cells = hours.filter(({ current }) => current);
  return { dashboard, header, shapes: layOutPage(dashboard, cells, header) };
}
