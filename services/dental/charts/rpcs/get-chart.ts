// The current chart of a patient, or the chart as of an instant: as data, and as an SVG.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { dateIn, isLocalDate } from '@clinic/lib/formats/local-date.ts';
import { toSvgFile } from '@clinic/lib/formats/svg.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DrawChartRequest, GetChartRequest } from '@clinic/proto/dental/v1/chart_pb.js';
import { DateTime } from 'luxon';
import type { App } from '../../app.ts';
import { getPatient } from '../../patients/find-patients.ts';
import { findChartAsOf } from '../sql/chart-entries.sql.ts';
import { findChartColors } from '../sql/chart-settings.sql.ts';
import { drawOdontogram } from '../svg/odontogram.ts';
import { effectiveDentition, toDentalChart } from '../to-dental-chart.ts';

export async function getChart(app: App, request: GetChartRequest, call: Call) {
  const { chart, patient, day } = await getChartAsOf(app, request, call);
  return toDentalChart(chart, patient, day);
}

export async function drawChart(app: App, request: DrawChartRequest, call: Call) {
  const [{ chart, patient, day }, colors] = await Promise.all([getChartAsOf(app, request, call), findChartColors(app.db, clinicOf(call).id)]);
  const svg = drawOdontogram(chart.findings, effectiveDentition(chart, patient, day), colors, patient.alerts);
  return toSvgFile(svg);
}

/** Throws NOT_FOUND unless the caller's clinic has the patient. */
async function getChartAsOf(app: App, request: { patientId: string; at?: string | undefined }, call: Call) {
  const { id, timezone } = clinicOf(call);
  const asOf = request.at ? parseInstant(request.at, timezone) : undefined;
  const patient = await getPatient(app, call, request.patientId);
  const chart = await findChartAsOf(app.db, id, patient.id, asOf);
  return { chart, patient, day: dateIn(timezone, asOf ?? app.clock.now()) };
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** An ISO 8601 instant with an offset, or the end of a day in the time zone. */
function parseInstant(text: string, timezone: string): Date {
  const time = DateTime.fromISO(text, { zone: timezone });
  if (isLocalDate(text)) return time.endOf('day').toJSDate();
  if (!INSTANT.test(text) || !time.isValid) invalid('at', 'must be a date, YYYY-MM-DD, or an ISO 8601 instant');
  return time.toJSDate();
}
