// The current chart of a patient, or the chart as of an instant.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { GetChartRequest } from '@clinic/proto/dental/v1/chart_pb.js';
import type { App } from '../../app.ts';
import { getChartAsOf } from '../get-chart-as-of.ts';
import { toDentalChart } from '../to-dental-chart.ts';

export async function getChart(app: App, request: GetChartRequest, call: Call) {
  const { chart, patient, at } = await getChartAsOf(app, request, call);
  return toDentalChart(chart, patient, at);
}
