// A visit as the holder of its check-in code sees it: first name and hour, nothing else.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { CheckInViewSchema } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import type { EmbeddedRow } from '../appointments/appointments.sql.ts';
import { firstName } from '../calendar/ics-rules.ts';
import { checkInStatus } from './check-in-rules.ts';

type Shown = Pick<EmbeddedRow, 'status' | 'appointment_date' | 'checked_in_at' | 'patient_name' | 'start_time'>;

export function showCheckIn(visit: Shown, today: string): MessageInitShape<typeof CheckInViewSchema> {
  return {
    status: checkInStatus(visit, today),
    firstName: firstName(visit.patient_name),
    startTime: visit.start_time.slice(0, 5),
    checkedInAt: visit.checked_in_at ? timestampFromDate(visit.checked_in_at) : undefined,
  };
}
