// Sets the dentition of a patient, for cases in which the one inferred from age and chart is wrong.
import { inTenant } from '@clinic/lib/db/db.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SetDentitionRequest } from '@clinic/proto/dental/v1/chart_pb.js';
import type { App } from '../../app.ts';
import { getPatientToChange } from '../../patients/find-patients.ts';
import { appendEntry } from '../append-entry.ts';

const DENTITIONS = ['adult', 'child', 'mixed', 'auto'] as const;

export async function setDentition(app: App, request: SetDentitionRequest, call: Call) {
  const dentition = parseOneOf('dentition', request.dentition, DENTITIONS);
  const patient = await getPatientToChange(app, call, request.patientId);
  return inTenant(app.db, clinicOf(call).id, (tx) => appendEntry(app, tx, call, patient, { kind: 'dentition', dentition, notes: null, replaces: null }));
}
