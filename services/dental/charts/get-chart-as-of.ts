// The chart of a patient as of an instant, with what is known of the patient, for those who show it and draw it.
import { readTenant } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { getPatient } from '../patients/find-patients.ts';
import { asOf } from './rules/as-of.ts';
import { foldChart } from './rules/chart.ts';
import { listEntriesStatement, toEntry } from './sql/chart-entries.sql.ts';

export async function getChartAsOf(app: App, request: { patientId: string; at?: string | undefined }, call: Call) {
  const clinic = clinicOf(call);
  const { patientId } = request;
  const asked = request.at ? (asOf(request.at, clinic.timezone) ?? invalid('at', 'must be a date, YYYY-MM-DD, or an ISO 8601 instant')) : undefined;
  const [patient, entries] = await Promise.all([
    getPatient(app, call, patientId),
    isUuid(patientId) ? readTenant(app.db, clinic.id, listEntriesStatement, [clinic.id, patientId, asked ?? null]) : [],
  ]);
  return { chart: foldChart(entries.map(toEntry)), patient, at: asked ?? app.clock.now() };
}
