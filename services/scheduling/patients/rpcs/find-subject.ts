// All ids, phones, names and e-mail addresses of a patient, which operators need before they export or erase the patient's data.
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { FindSubjectRequest } from '@clinic/proto/scheduling/v1/data_subject_pb.js';
import type { App } from '../../app.ts';
import { listClaimsOf, listRecordsOf } from '../sql/subjects.sql.ts';

export async function findSubject(app: Pick<App, 'db' | 'clock'>, { clinicId, patientId }: FindSubjectRequest) {
  if (!isUuid(clinicId) || !isUuid(patientId)) fail('NOT_FOUND', 'Patient not found');
  const now = app.clock.now();
  const merged = await listRecordsOf(app.db, clinicId, patientId, now);
  const patient = found(merged[0], 'Patient');
  const phones = merged.flatMap(({ erased, phone }) => (erased ? [] : (phone ?? [])));
  const records = [...merged, ...(await listClaimsOf(app.db, clinicId, phones, now))];
  const unerased = records.filter(({ erased }) => !erased);
  return {
    subject: {
      clinicId,
      patientIds: records.map(({ id }) => id),
      phones,
      // Not those of bookings whose phone is not proven: anybody typed them, and texts that contain a name are exported and erased.
      names: merged.flatMap(({ erased, full_name }) => (erased ? [] : full_name)),
      emails: unerased.flatMap(({ emails }) => emails),
    },
    upcoming: records.reduce((sum, { upcoming }) => sum + upcoming, 0),
    dependants: records.reduce((sum, { dependants }) => sum + dependants, 0),
    erased: patient.erased,
  };
}
