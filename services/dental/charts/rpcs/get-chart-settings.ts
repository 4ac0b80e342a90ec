// How the clinic wants its charts drawn.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetChartSettingsRequest } from '@clinic/proto/dental/v1/chart_pb.js';
import type { App } from '../../app.ts';
import { findChartColors } from '../sql/chart-settings.sql.ts';

export async function getChartSettings(app: App, _request: GetChartSettingsRequest, call: Call) {
  return { chartColors: await findChartColors(app.db, clinicOf(call).id) };
}
