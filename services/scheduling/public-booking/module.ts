// Booking by patients on the clinic's booking page.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { PublicBookingService } from '@clinic/proto/scheduling/v1/public_booking_pb.js';
import type { App } from '../app.ts';
import { beginBooking } from './begin-booking.ts';
import { deleteOldRequests } from './booking-requests.sql.ts';
import { confirmBooking, getBooking } from './confirm-booking.ts';
import { getBookableClinic } from './get-bookable-clinic.ts';
import { listBookableDays, listBookableSlots } from './list-bookable-times.ts';

const RETAIN_MS = 30 * 24 * 3_600_000;

export const publicBooking: Module<App> = {
  rpcs: [rpcs(PublicBookingService, { getBookableClinic, listBookableDays, listBookableSlots, beginBooking, getBooking, confirmBooking })],
  jobs: ({ db, clock }) => [
    // As the system: of all clinics.
    job('delete-old-booking-requests', { cron: '47 3 * * *' }, async () => {
      await asSystem(db, (tx) => deleteOldRequests(tx, new Date(clock.now().getTime() - RETAIN_MS)));
    }),
  ],
  personal: [
    {
      table: 'booking_requests',
      // The phone of the request remains when the patient's phone changes.
      ofPatient: 'phone = any($phones) or appointment_id in (select a.id from appointments a where a.clinic_id = $1 and a.patient_id = any($ids))',
      erase: 'delete',
    },
  ],
};
