// Appointments at the desk.
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { CheckInService } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import { z } from 'zod';
import type { Area } from '../http/route.ts';
import { clockTime, date, dui, instant, limit, maybe, page, phone, text, uuid } from './schemas.ts';

const { method } = AppointmentService;

export const appointments: Area = {
  prefix: '/api/appointments',
  tag: 'Appointments',
  about: 'Bookings of slots, their list and their status.',
  routes: [
    {
      method: 'get',
      path: '/api/appointments',
      rpc: method.listAppointments,
      access: 'user',
      rate: 'api',
      summary: 'List appointments',
      request: {
        query: z.object({
          date: date.optional(),
          start: date.optional(),
          end: date.optional(),
          status: z.enum(['confirmed', 'pending', 'completed', 'cancelled', 'no_show']).optional(),
          doctor_id: uuid.optional(),
          source: z.enum(['manual', 'chat', 'waitlist']).optional(),
          page,
          limit: limit(),
        }),
      },
    },
    {
      method: 'get',
      path: '/api/appointments/notifications',
      rpc: method.countChatBookings,
      access: 'user',
      rate: 'api',
      summary: 'Count new chat bookings',
      request: { query: z.object({ since: instant.optional() }) },
    },
    {
      method: 'post',
      path: '/api/appointments',
      rpc: method.bookAppointment,
      access: 'user',
      rate: 'api',
      summary: 'Book an appointment',
      request: {
        body: z.object({
          doctorId: uuid,
          appointmentDate: date,
          startTime: clockTime,
          patientName: text(200),
          patientPhone: phone,
          patientDui: maybe(dui),
          notes: maybe(text(5000)),
          outsideHours: z.boolean().nullish(),
          slotDraftId: maybe(uuid),
        }),
      },
      notFound: 'Doctor not found',
      status: 201,
      creates: true,
      errors: ['NOT_FOUND', 'SLOT_TAKEN', 'SLOT_UNAVAILABLE'],
      example: {
        doctorId: '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70',
        appointmentDate: '2026-08-03',
        startTime: '09:00',
        patientName: 'María López',
        patientPhone: '+50370001234',
      },
    },
    {
      method: 'get',
      path: '/api/appointments/:id',
      rpc: method.getAppointment,
      access: 'user',
      rate: 'api',
      summary: 'Get an appointment',
      request: { params: z.object({ id: uuid }) },
      notFound: 'Appointment not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'get',
      path: '/api/appointments/:id/qr',
      rpc: CheckInService.method.getCheckInCode,
      access: 'user',
      rate: 'api',
      summary: 'Draw the check-in code',
      request: { params: z.object({ id: uuid }), query: z.object({ format: z.enum(['svg', 'png']).default('svg') }) },
      notFound: 'Appointment not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'post',
      path: '/api/appointments/:id/reschedule',
      rpc: method.rescheduleAppointment,
      access: 'user',
      rate: 'api',
      summary: 'Move an appointment',
      request: {
        params: z.object({ id: uuid }),
        body: z.object({ doctorId: maybe(uuid), appointmentDate: date, startTime: clockTime, outsideHours: z.boolean().nullish() }),
      },
      notFound: 'Appointment not found',
      errors: ['NOT_FOUND', 'SLOT_TAKEN', 'SLOT_UNAVAILABLE', 'APPOINTMENT_NOT_ACTIVE'],
      example: { appointmentDate: '2026-08-04', startTime: '10:00' },
    },
    {
      method: 'patch',
      path: '/api/appointments/:id/status',
      rpc: method.updateAppointmentStatus,
      access: 'user',
      rate: 'api',
      summary: 'Set the status',
      request: {
        params: z.object({ id: uuid }),
        body: z.object({ status: z.enum(['confirmed', 'completed', 'cancelled', 'no_show']), cancellation_reason: maybe(text(1000)) }),
      },
      notFound: 'Appointment not found',
      errors: ['NOT_FOUND', 'SLOT_TAKEN', 'SLOT_UNAVAILABLE', 'CONFLICT'],
      example: { status: 'cancelled', cancellation_reason: 'The patient is travelling' },
    },
  ],
};
