// How the clinic wants its charts drawn.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetChartSettingsRequest, UpdateChartSettingsRequest } from '@clinic/proto/dental/v1/chart_pb.js';
import type { App } from '../../app.ts';
import { findChartColors, saveChartColors } from '../sql/chart-settings.sql.ts';
import { CHART_COLORS } from '../svg/colours.ts';

export async function getChartSettings(app: App, _request: GetChartSettingsRequest, call: Call) {
  return { chartColors: await findChartColors(app.db, clinicOf(call).id) };
}

export async function updateChartSettings(app: App, request: UpdateChartSettingsRequest, call: Call) {
  const chartColors = parseOneOf('chart_colors', request.chartColors, CHART_COLORS);
  const { id } = clinicOf(call);
  await inTenant(app.db, id, async (tx) => {
    const isChanged = await saveChartColors(tx, chartColors, app.clock.now());
    if (isChanged) await audit(tx, id, call.caller, { action: 'chart_settings.updated', entityId: id, changes: { chart_colors: chartColors } });
  });
  return { chartColors };
}
