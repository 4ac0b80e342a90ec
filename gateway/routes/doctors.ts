import { CLOCK_TIME } from '@clinic/lib/formats/clock-time.ts';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { DoctorPhotoService } from '@clinic/proto/scheduling/v1/photo_pb.js';
import { z } from 'zod';
import type { Row } from '../http/route.ts';
import { area } from './area.ts';
import { clearable, date, maybe, minutes, minutesText, month, pages, picture, text, time, trueOrFalse, uuid } from './schemas.ts';

const { method } = DoctorService;
const { method: photo } = DoctorPhotoService;

/** As `time`; 24:00 is the end of the day. */
const endTime = z
  .string()
  .regex(new RegExp(`${CLOCK_TIME.source}|^24:00(:00)?$`), 'must be HH:MM or HH:MM:SS')
  .meta({ examples: ['17:00'] });
const ranges = z.array(z.object({ dayOfWeek: z.int().min(0).max(6), startTime: time, endTime })).max(100);
const buffer = z.int().min(0).max(240);
/** External photos must use https, which the service checks. http is accepted because clients send back the photo URL of this deployment. */
const photoUrl = z.url({ protocol: /^https?$/, error: 'must be an https URL' }).max(2000, 'must have at most 2000 characters');

const changes = {
  fullName: text(200).optional(),
  specialty: clearable(text(200)),
  bio: clearable(text(5000)),
  consultationDurationMinutes: minutes.optional(),
  bufferTimeMinutes: buffer.optional(),
  workingHours: ranges.optional(),
  breaks: ranges.optional(),
  photoUrl: clearable(photoUrl),
  is_active: z.boolean().optional(),
  onlineBookable: z.boolean().optional(),
};
const hours = [1, 2, 3, 4, 5].map((dayOfWeek) => ({ dayOfWeek, startTime: '08:00', endTime: '17:00' }));

const update = {
  rpc: method.updateDoctor,
  body: changes,
  errors: ['DOCTOR_LIMIT_REACHED', 'LIMIT_CHECK_UNAVAILABLE', 'CONFLICT'],
  example: { consultationDurationMinutes: 45, workingHours: hours, is_active: true },
} as const satisfies Partial<Row>;

const needs = { type_id: uuid.optional(), duration_minutes: minutesText.optional(), appointment_id: uuid.optional() };

export const doctors = area({
  prefix: '/api/doctors',
  tag: 'Doctors',
  about: 'Doctors, their weekly hours, breaks and vacations, and the free slots that result from these.',
  all: { scope: 'doctors', notFound: 'Doctor not found' },
  routes: [
    { method: 'get', path: '/api/doctors', rpc: method.listDoctors, query: { is_active: trueOrFalse.optional(), ...pages } },
    {
      method: 'post',
      path: '/api/doctors',
      rpc: method.createDoctor,
      body: {
        fullName: text(200),
        specialty: maybe(text(200)),
        bio: maybe(text(5000)),
        consultationDurationMinutes: minutes.nullish(),
        bufferTimeMinutes: buffer.nullish(),
        workingHours: ranges.nullish(),
        breaks: ranges.nullish(),
        photoUrl: maybe(photoUrl),
        onlineBookable: z.boolean().nullish(),
      },
      creates: true,
      errors: ['DOCTOR_LIMIT_REACHED', 'LIMIT_CHECK_UNAVAILABLE'],
      example: { fullName: 'Dra. Elena Rivas', specialty: 'Ortodoncia', consultationDurationMinutes: 30, bufferTimeMinutes: 10, workingHours: hours },
    },
    { method: 'get', path: '/api/doctors/:id', rpc: method.getDoctor },
    { method: 'put', path: '/api/doctors/:id', operation: 'replaceDoctor', ...update },
    { method: 'patch', path: '/api/doctors/:id', ...update },
    { method: 'delete', path: '/api/doctors/:id', rpc: method.deactivateDoctor },
    { method: 'get', path: '/api/doctors/:doctorId/slots', rpc: method.listSlots, query: { date, ...needs }, unwrap: 'slots' },
    {
      method: 'get',
      path: '/api/doctors/:doctorId/availability',
      rpc: method.listAvailability,
      summary: 'Count free slots by day',
      query: { month, ...needs },
    },
    { method: 'get', path: '/api/doctors/:doctorId/vacations', rpc: method.listVacations, query: { ...pages } },
    {
      method: 'post',
      path: '/api/doctors/:doctorId/vacations',
      rpc: method.createVacation,
      body: { startDate: date, endDate: date, reason: maybe(text(500)) },
      creates: true,
      example: { startDate: '2026-12-24', endDate: '2026-12-31', reason: 'Fin de año' },
    },
    { method: 'delete', path: '/api/doctors/:doctorId/vacations/:vacationId', rpc: method.deleteVacation, notFound: 'Vacation not found' },
    { method: 'put', path: '/api/doctors/:id/photo', rpc: photo.setDoctorPhoto, raw: picture },
    { method: 'delete', path: '/api/doctors/:id/photo', rpc: photo.removeDoctorPhoto },
    { method: 'get', path: '/api/doctors/photos/:id', rpc: photo.getDoctorPhoto, summary: 'Get the photo of a doctor', notFound: 'Photo not found' },
  ],
});
