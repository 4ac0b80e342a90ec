// The figures on a page of paper.
import { hash } from 'node:crypto';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { PrintDashboardRequest } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../../app.ts';
import { HEIGHT, titleOf, WIDTH } from '../charts/page.ts';
import { toPdf } from '../charts/pdf.ts';
import { readPage } from '../read-page.ts';

export async function printDashboard(app: App, request: PrintDashboardRequest, call: Call) {
  const { dashboard, head, shapes } = await readPage(app, request, call);
  const { from, to } = dashboard;
  // Dated by its period, so that the same figures are the same file.
  const content = await toPdf(WIDTH, HEIGHT, { title: titleOf(dashboard, head), at: new Date(to) }, shapes);
  return { content, contentType: 'application/pdf', filename: `tablero-${from}-${to}.pdf`, etag: hash('sha256', content, 'base64url') };
}
