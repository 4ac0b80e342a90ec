// An appointment as the holder of its check-in code sees it: first name, time, clinic and how many forms are missing, nothing else.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { firstName } from '@clinic/lib/formats/person-name.ts';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import type { CheckInViewSchema } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import type { EmbeddedRow } from '../appointments/appointment-row.ts';
import type { PageClinic } from '../clinics/page-clinic.ts';

type Viewed = Pick<EmbeddedRow, 'status' | 'appointment_date' | 'checked_in_at' | 'patient_name' | 'start_time'>;

type View = MessageInitShape<typeof CheckInViewSchema>;

export function toCheckInView(appointment: Viewed, today: string, { name, readOnly }: PageClinic, missingForms: number): View {
  return {
    clinicName: name,
    readOnly,
    missingForms,
    status: checkInStatus(appointment, today),
    firstName: firstName(appointment.patient_name),
    startTime: appointment.start_time.slice(0, 5),
    checkedInAt: toTimestamp(appointment.checked_in_at),
  };
}

type CheckInStatus = 'ready' | 'done' | 'wrong_day' | 'cancelled' | 'over';

/** `today` is the date in the clinic's zone. */
export function checkInStatus(appointment: { status: string; appointment_date: string; checked_in_at: Date | null }, today: string): CheckInStatus {
  if (appointment.status === 'cancelled') return 'cancelled';
  if (appointment.status === 'completed' || appointment.status === 'no_show' || appointment.appointment_date < today) return 'over';
  if (appointment.appointment_date > today) return 'wrong_day';
  return appointment.checked_in_at ? 'done' : 'ready';
}
