// An appointment as the holder of its check-in code sees it: first name and time, nothing else.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { CheckInViewSchema } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import type { EmbeddedRow } from '../appointments/appointments.sql.ts';
import { firstName } from '../patients/name-rules.ts';
import { checkInStatus } from './check-in-rules.ts';

type Viewed = Pick<EmbeddedRow, 'status' | 'appointment_date' | 'checked_in_at' | 'patient_name' | 'start_time'>;

export function toCheckInView(appointment: Viewed, today: string): MessageInitShape<typeof CheckInViewSchema> {
  return {
    status: checkInStatus(appointment, today),
    firstName: firstName(appointment.patient_name),
    startTime: appointment.start_time.slice(0, 5),
    checkedInAt: appointment.checked_in_at ? timestampFromDate(appointment.checked_in_at) : undefined,
  };
}
