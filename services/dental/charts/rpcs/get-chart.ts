// The chart as it stands or stood.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { GetChartRequest } from '@clinic/proto/dental/v1/chart_pb.js';
import type { App } from '../../app.ts';
import { readChart } from '../read-chart.ts';
import { showChart } from '../show-chart.ts';

export async function getChart(app: App, request: GetChartRequest, call: Call) {
  const { chart, patient, at } = await readChart(app, request, call);
  return showChart(chart, patient, at);
}
