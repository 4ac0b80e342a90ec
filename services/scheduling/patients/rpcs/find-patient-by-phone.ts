// The patient who has a phone, with dependants: who writes to the clinic's chat number.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { FindPatientByPhoneRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../../app.ts';
import { findByPhone, toFound } from '../sql/lookup.sql.ts';

export async function findPatientByPhone(app: App, { phone }: FindPatientByPhoneRequest, call: Call) {
  const { patient, dependants } = await findByPhone(app.db, clinicOf(call).id, phone);
  return { patient: patient && toFound(patient), dependants: dependants.map(toFound) };
}
