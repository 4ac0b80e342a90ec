import { AppointmentSeriesService } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { bookedFor, bookedTime, clockTime, date, flag, integerText, maybe, minutesText, needs, pages, text, uuid } from './schemas.ts';

const { method } = AppointmentSeriesService;
const weeks = z.int().min(1).max(52);
export const appointmentSeries = area({
  prefix: '/api/appointments/series',
  tag: 'Appointment series',
  about: 'Appointments at the same time every few weeks, booked, moved and cancelled together.',
  all: { scope: 'appointments', notFound: 'Series not found' },
  routes: [
    { method: 'get', path: '/api/appointments/series', rpc: method.listSeries, query: { patient_id: uuid.optional(), doctor_id: uuid.optional(), ...pages } },
    {
      method: 'get',
      path: '/api/appointments/series/preview',
      rpc: method.previewSeries,
      query: {
        doctor_id: uuid,
        appointment_date: date,
        start_time: clockTime,
        weeks: integerText(1, 52),
        count: integerText(2, 52),
        type_id: uuid.optional(),
        duration_minutes: minutesText.optional(),
        resource_id: uuid.optional(),
        outside_hours: flag,
      },
      notFound: 'Doctor not found',
    },
    {
      method: 'post',
      path: '/api/appointments/series',
      rpc: method.bookSeries,
      body: {
        ...bookedTime,
        every: z.object({ weeks }),
        count: z.int().min(2).max(52),
        ...bookedFor,
        notes: maybe(text(5000)),
        ...needs,
        outsideHours: z.boolean().nullish(),
        allOrNothing: z.boolean().nullish(),
      },
      notFound: 'Doctor not found',
      creates: true,
      errors: ['SLOT_TAKEN', 'SLOT_UNAVAILABLE', 'CONFLICT'],
      example: {
        doctorId: '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70',
        appointmentDate: '2026-08-03',
        startTime: '09:00',
        every: { weeks: 4 },
        count: 12,
        patientName: 'María López',
        patientPhone: '+50370001234',
      },
    },
    {
      method: 'post',
      path: '/api/appointments/series/:id/reschedule',
      rpc: method.rescheduleSeries,
      body: {
        from: date,
        appointmentDate: maybe(date),
        startTime: maybe(clockTime),
        doctorId: maybe(uuid),
        outsideHours: z.boolean().nullish(),
        allOrNothing: z.boolean().nullish(),
      },
      creates: true,
      status: 200,
      errors: ['SLOT_TAKEN', 'SLOT_UNAVAILABLE'],
      example: { from: '2026-08-03', startTime: '10:00' },
    },
    {
      method: 'post',
      path: '/api/appointments/series/:id/cancel',
      rpc: method.cancelSeries,
      body: { from: date, cancellation_reason: maybe(text(1000)), cancelled_by_clinic: z.boolean().nullish() },
      example: { from: '2026-08-03', cancellation_reason: 'The treatment is finished' },
    },
  ],
});
