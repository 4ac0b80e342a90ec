// Appointments: booking, rescheduling and status.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../app.ts';
import { bookAppointment } from './book-appointment.ts';
import { getAppointment } from './get-appointment.ts';
import { countChatBookings, listAppointments } from './list-appointments.ts';
import { findAppointment, findAppointmentWithContact, listAppointmentStates, listUpcomingAppointments } from './lookup.ts';
import { recordPatientConfirmation } from './record-patient-confirmation.ts';
import { rescheduleAppointment } from './reschedule-appointment.ts';
import { updateAppointment } from './update-appointment.ts';
import { updateAppointmentStatus } from './update-appointment-status.ts';

export const appointments: Module<App> = {
  rpcs: [
    rpcs(AppointmentService, {
      bookAppointment,
      listAppointments,
      getAppointment,
      updateAppointment,
      updateAppointmentStatus,
      rescheduleAppointment,
      recordPatientConfirmation,
      countChatBookings,
    }),
    rpcs(LookupService, { findAppointment, findAppointmentWithContact, listUpcomingAppointments, listAppointmentStates }),
  ],
  // The appointments of an erased patient stay, for the statistics.
  personal: [
    // The request of which a hash is stored has name and phone.
    { table: 'appointments', ofPatient: 'patient_id = any($ids)', erase: { notes: 'null', cancellation_reason: 'null', request_hash: 'null' } },
  ],
};
