// A visit left a day for another one, or a doctor.

import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { AppointmentRescheduledSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { countVisits } from '../count-visits.ts';

export const onAppointmentRescheduledAnalytics = subscribe(
  'analytics-of-moves',
  'scheduling',
  AppointmentRescheduledSchema,
  async (tx, { appointment, previousDate, previousStartsAt, previousDoctorId }, { clinicId }) => {
    if (!appointment) return;
    const { appointmentId, appointmentDate, doctorId, timezone } = appointment;
    const left = previousDate || (previousStartsAt ? dateIn(timezone, timestampDate(previousStartsAt)) : appointmentDate);
    const days = [
      { date: appointmentDate, doctorId },
      { date: left, doctorId: previousDoctorId || doctorId },
    ];
    await countVisits(tx, clinicId, { days, appointmentIds: [appointmentId] });
  },
);
