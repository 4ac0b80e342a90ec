import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { CheckInService } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { bookedFor, bookedTime, clearable, clockTime, date, dui, flag, instant, maybe, minutes, needs, pages, text, uuid } from './schemas.ts';

const { method } = AppointmentService;

export const appointments = area({
  prefix: '/api/appointments',
  tag: 'Appointments',
  about: 'Booking, rescheduling, notes and status of appointments.',
  all: { scope: 'appointments', notFound: 'Appointment not found' },
  routes: [
    {
      method: 'get',
      path: '/api/appointments',
      rpc: method.listAppointments,
      query: {
        date: date.optional(),
        start: date.optional(),
        end: date.optional(),
        status: z.enum(['confirmed', 'pending', 'completed', 'cancelled', 'no_show']).optional(),
        doctor_id: uuid.optional(),
        source: z.enum(['manual', 'chat', 'waitlist', 'online']).optional(),
        patient_id: uuid.optional(),
        type_id: uuid.optional(),
        resource_id: uuid.optional(),
        series_id: uuid.optional(),
        updated_since: instant.optional(),
        time_conflict: flag,
        late_cancellation: flag,
        sort: z.enum(['start', '-start']).default('start'),
        ...pages,
      },
    },
    {
      method: 'get',
      path: '/api/appointments/notifications',
      rpc: method.countChatBookings,
      summary: 'Count new chat bookings',
      query: { since: instant.optional() },
    },
    {
      method: 'post',
      path: '/api/appointments',
      rpc: method.bookAppointment,
      summary: 'Book an appointment',
      body: {
        ...bookedTime,
        ...bookedFor,
        patientDui: maybe(dui),
        notes: maybe(text(5000)),
        outsideHours: z.boolean().nullish(),
        slotDraftId: maybe(uuid),
        ...needs,
      },
      notFound: 'Doctor not found',
      creates: true,
      errors: ['SLOT_TAKEN', 'SLOT_UNAVAILABLE'],
      example: {
        doctorId: '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70',
        appointmentDate: '2026-08-03',
        startTime: '09:00',
        patientName: 'María López',
        patientPhone: '+50370001234',
      },
    },
    { method: 'get', path: '/api/appointments/:id', rpc: method.getAppointment },
    {
      method: 'patch',
      path: '/api/appointments/:id',
      rpc: method.updateAppointment,
      body: { notes: clearable(text(5000)), typeId: clearable(uuid) },
      errors: ['SLOT_TAKEN'],
      example: { notes: 'Trae radiografías' },
    },
    { method: 'get', path: '/api/appointments/:id/qr', rpc: CheckInService.method.getCheckInCode, query: { format: z.enum(['svg', 'png']).default('svg') } },
    {
      method: 'post',
      path: '/api/appointments/:id/reschedule',
      rpc: method.rescheduleAppointment,
      summary: 'Reschedule an appointment',
      body: {
        doctorId: maybe(uuid),
        appointmentDate: date,
        startTime: clockTime,
        outsideHours: z.boolean().nullish(),
        durationMinutes: maybe(minutes),
        resourceId: maybe(uuid),
      },
      errors: ['SLOT_TAKEN', 'SLOT_UNAVAILABLE', 'APPOINTMENT_NOT_ACTIVE'],
      example: { appointmentDate: '2026-08-04', startTime: '10:00' },
    },
    {
      method: 'patch',
      path: '/api/appointments/:id/status',
      rpc: method.updateAppointmentStatus,
      body: {
        status: z.enum(['confirmed', 'completed', 'cancelled', 'no_show']),
        cancellation_reason: maybe(text(1000)),
        cancelled_by_clinic: z.boolean().nullish(),
      },
      errors: ['SLOT_TAKEN', 'SLOT_UNAVAILABLE', 'CONFLICT'],
      example: { status: 'cancelled', cancellation_reason: 'The patient is travelling' },
    },
  ],
});
