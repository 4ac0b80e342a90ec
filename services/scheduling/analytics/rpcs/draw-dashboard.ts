// The figures as a picture.
import { hash } from 'node:crypto';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { DrawDashboardRequest } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../../app.ts';
import { descriptionOf, HEIGHT, titleOf, WIDTH } from '../charts/page.ts';
import { toSvg } from '../charts/svg.ts';
import { readPage } from '../read-page.ts';

export async function drawDashboard(app: App, request: DrawDashboardRequest, call: Call) {
  const { dashboard, head, shapes } = await readPage(app, request, call);
  const svg = toSvg(WIDTH, HEIGHT, { title: titleOf(dashboard, head), description: descriptionOf(dashboard, head) }, shapes);
  return { content: Buffer.from(svg), contentType: 'image/svg+xml', filename: '', etag: hash('sha256', svg, 'base64url') };
}
