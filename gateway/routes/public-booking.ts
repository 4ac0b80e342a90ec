import { PublicBookingService } from '@clinic/proto/scheduling/v1/public_booking_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { date, email, maybe, month, phone, text, time, uuid } from './schemas.ts';

const { method } = PublicBookingService;
const clinic = '/api/public/clinics/:slug';
const slug = z.string().regex(/^[a-z0-9-]{1,80}$/);
const chosen = { type_id: uuid, doctor_id: uuid.optional() };

export const publicBooking = area({
  prefix: '/api/public',
  tag: 'Online booking',
  about: 'Patients book for themselves, on the page `/book/:slug` or on the website of the clinic. Off until the clinic switches on `online_booking`.',
  all: { scope: 'none', params: { slug }, notFound: 'Clinic not found', rate: 'booking_view' },
  routes: [
    { method: 'get', path: clinic, rpc: method.getBookableClinic },
    { method: 'get', path: `${clinic}/availability`, rpc: method.listBookableDays, query: { ...chosen, month } },
    { method: 'get', path: `${clinic}/slots`, rpc: method.listBookableSlots, query: { ...chosen, date } },
    {
      method: 'post',
      path: `${clinic}/bookings`,
      rpc: method.beginBooking,
      rate: 'booking',
      body: {
        typeId: uuid,
        doctorId: maybe(uuid),
        date,
        startTime: time,
        name: text(200),
        phone,
        email: maybe(email),
        notes: maybe(text(500)),
        replaces: maybe(uuid),
      },
      status: 202,
      creates: true,
      errors: ['SLOT_TAKEN', 'SLOT_UNAVAILABLE', 'BOOKING_AT_DESK'],
      example: {
        typeId: '0197c7a4-1111-7000-8000-000000000001',
        date: '2030-08-05',
        startTime: '09:00',
        name: 'Rosa Díaz',
        phone: '+50370001234',
        email: 'rosa@example.com',
      },
    },
    { method: 'get', path: `${clinic}/bookings/:id`, rpc: method.getBooking, params: { slug, id: uuid }, notFound: 'Booking not found' },
    {
      method: 'post',
      path: `${clinic}/bookings/:id/confirm`,
      rpc: method.confirmBooking,
      rate: 'booking',
      params: { slug, id: uuid },
      notFound: 'Booking not found',
      body: { code: z.string().max(20) },
      status: 201,
      errors: ['INVALID_OTP', 'BOOKING_CLOSED', 'BOOKING_AT_DESK', 'SLOT_TAKEN', 'SLOT_UNAVAILABLE'],
      example: { code: '123456' },
    },
  ],
});
