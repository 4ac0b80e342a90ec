// Sets the dentition of a patient, for cases in which the one inferred from age and chart is wrong. Setting it again as it is adds no entry.
import { inTenant } from '@clinic/lib/db/db.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SetDentitionRequest } from '@clinic/proto/dental/v1/chart_pb.js';
import type { App } from '../../app.ts';
import { getPatientToChange } from '../../patients/find-patients.ts';
import { appendEntry } from '../append-entry.ts';
import { findChart, lockChart } from '../sql/chart-entries.sql.ts';
import { toDentalChart } from '../to-dental-chart.ts';

const DENTITIONS = ['adult', 'child', 'mixed', 'auto'] as const;

export async function setDentition(app: App, request: SetDentitionRequest, call: Call) {
  const dentition = parseOneOf('dentition', request.dentition, DENTITIONS);
  const patient = await getPatientToChange(app, call, request.patientId);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    await lockChart(tx, tx.clinicId, patient.id);
    const chart = await findChart(tx, tx.clinicId, patient.id);
    if ((chart.dentition ?? 'auto') === dentition) return toDentalChart(chart, patient, dateIn(clinicOf(call).timezone, app.clock.now()));
    return appendEntry(app, tx, call, patient, { kind: 'dentition', dentition, notes: null, replaces: null });
  });
}
