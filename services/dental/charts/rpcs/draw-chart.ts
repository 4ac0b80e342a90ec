// The chart of a patient as an SVG.
import { hash } from 'node:crypto';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DrawChartRequest } from '@clinic/proto/dental/v1/chart_pb.js';
import type { App } from '../../app.ts';
import { getChartAsOf } from '../get-chart-as-of.ts';
import { findChartColors } from '../sql/chart-settings.sql.ts';
import { drawOdontogram } from '../svg/odontogram.ts';
import { effectiveDentition } from '../to-dental-chart.ts';

export async function drawChart(app: App, request: DrawChartRequest, call: Call) {
  const [{ chart, patient, at }, colors] = await Promise.all([getChartAsOf(app, request, call), findChartColors(app.db, clinicOf(call).id)]);
  const svg = drawOdontogram(chart.findings, effectiveDentition(chart, patient, at), colors, patient.alerts);
  return { content: Buffer.from(svg), contentType: 'image/svg+xml', filename: '', etag: hash('sha256', svg, 'base64url') };
}
