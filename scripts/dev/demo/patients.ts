// The patients of the demo clinic in a stable order.
import { type Patient, PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { PATIENTS } from './clinic.ts';
import type { Demo } from './demo.ts';
import { NEW_PHONES } from './people.ts';

const MAX = 500;
/** Phones as they are stored. */
export const PHONES = [...PATIENTS.map(({ phone }) => phone.replaceAll(' ', '')), ...NEW_PHONES];

export async function somePatients(demo: Demo, count: number): Promise<Patient[]> {
  const { patients } = await demo.client(PatientService, 'scheduling').listPatients({ page: 1, limit: MAX }, demo.admin());
  const known = new Map(patients.map((patient) => [patient.phone, patient]));
  return PHONES.flatMap((phone) => known.get(phone) ?? []).slice(0, count);
}
