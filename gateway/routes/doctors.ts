// Doctors, their hours and their free slots.
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { DoctorPhotoService } from '@clinic/proto/scheduling/v1/photo_pb.js';
import { z } from 'zod';
import type { Area, Route } from '../http/route.ts';
import { clearable, date, limit, maybe, month, page, text, time, uuid } from './schemas.ts';
import { picture } from './users.ts';

const { method } = DoctorService;
const { method: photo } = DoctorPhotoService;

const ranges = z.array(z.object({ dayOfWeek: z.int().min(0).max(6), startTime: time, endTime: time })).max(100);
const minutes = { consultationDurationMinutes: z.int().min(5).max(480).nullish(), bufferTimeMinutes: z.int().min(0).max(240).nullish() };
/** By https; but a doctor may be sent back as it was shown, and our own photos may be shown by http. */
const photoUrl = z.url({ protocol: /^https?$/, error: 'must be an https URL' }).max(2000);

const one = { params: z.object({ id: uuid }) };
const changes = {
  ...one,
  body: z.object({
    fullName: text(200).optional(),
    specialty: clearable(text(200)),
    bio: clearable(text(5000)),
    ...minutes,
    workingHours: ranges.optional(),
    breaks: ranges.optional(),
    photoUrl: clearable(photoUrl),
    is_active: z.boolean().optional(),
  }),
};
const hours = [1, 2, 3, 4, 5].map((dayOfWeek) => ({ dayOfWeek, startTime: '08:00', endTime: '17:00' }));

const update = {
  rpc: method.updateDoctor,
  access: 'admin',
  rate: 'api',
  request: changes,
  notFound: 'Doctor not found',
  errors: ['NOT_FOUND', 'DOCTOR_LIMIT_REACHED', 'LIMIT_CHECK_UNAVAILABLE', 'CONFLICT'],
  example: { consultationDurationMinutes: 45, workingHours: hours, is_active: true },
} as const satisfies Partial<Route>;

export const doctors: Area = {
  prefix: '/api/doctors',
  tag: 'Doctors',
  about: 'Doctors with weekly hours and breaks, and the slots that follow from them.',
  routes: [
    {
      method: 'get',
      path: '/api/doctors',
      rpc: method.listDoctors,
      access: 'user',
      rate: 'api',
      summary: 'List doctors',
      request: { query: z.object({ page, limit: limit() }) },
    },
    {
      method: 'post',
      path: '/api/doctors',
      rpc: method.createDoctor,
      access: 'admin',
      rate: 'api',
      summary: 'Add a doctor',
      request: {
        body: z.object({
          fullName: text(200),
          specialty: maybe(text(200)),
          bio: maybe(text(5000)),
          ...minutes,
          workingHours: ranges.nullish(),
          breaks: ranges.nullish(),
          photoUrl: maybe(photoUrl),
        }),
      },
      status: 201,
      creates: true,
      errors: ['DOCTOR_LIMIT_REACHED', 'LIMIT_CHECK_UNAVAILABLE'],
      example: { fullName: 'Dra. Elena Rivas', specialty: 'Ortodoncia', consultationDurationMinutes: 30, bufferTimeMinutes: 10, workingHours: hours },
    },
    {
      method: 'get',
      path: '/api/doctors/:id',
      rpc: method.getDoctor,
      access: 'user',
      rate: 'api',
      summary: 'Get a doctor',
      request: one,
      notFound: 'Doctor not found',
      errors: ['NOT_FOUND'],
    },
    { method: 'put', path: '/api/doctors/:id', summary: 'Update a doctor', ...update },
    { method: 'patch', path: '/api/doctors/:id', summary: 'Change a doctor', ...update },
    {
      method: 'delete',
      path: '/api/doctors/:id',
      rpc: method.deactivateDoctor,
      access: 'admin',
      rate: 'api',
      summary: 'Deactivate a doctor',
      request: one,
      notFound: 'Doctor not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'get',
      path: '/api/doctors/:doctorId/slots',
      rpc: method.listSlots,
      access: 'user',
      rate: 'api',
      summary: 'List free slots',
      request: { params: z.object({ doctorId: uuid }), query: z.object({ date }) },
      notFound: 'Doctor not found',
      unwrap: 'slots',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'get',
      path: '/api/doctors/:doctorId/availability',
      rpc: method.listAvailability,
      access: 'user',
      rate: 'api',
      summary: 'Count free slots by day',
      request: { params: z.object({ doctorId: uuid }), query: z.object({ month }) },
      notFound: 'Doctor not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'get',
      path: '/api/doctors/:doctorId/vacations',
      rpc: method.listVacations,
      access: 'user',
      rate: 'api',
      summary: 'List vacations',
      request: { params: z.object({ doctorId: uuid }), query: z.object({ page, limit: limit() }) },
      notFound: 'Doctor not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'post',
      path: '/api/doctors/:doctorId/vacations',
      rpc: method.createVacation,
      access: 'admin',
      rate: 'api',
      summary: 'Add a vacation',
      request: { params: z.object({ doctorId: uuid }), body: z.object({ startDate: date, endDate: date, reason: maybe(text(500)) }) },
      notFound: 'Doctor not found',
      status: 201,
      creates: true,
      errors: ['NOT_FOUND'],
      example: { startDate: '2026-12-24', endDate: '2026-12-31', reason: 'Fin de año' },
    },
    {
      method: 'delete',
      path: '/api/doctors/:doctorId/vacations/:vacationId',
      rpc: method.deleteVacation,
      access: 'admin',
      rate: 'api',
      summary: 'Take a vacation back',
      request: { params: z.object({ doctorId: uuid, vacationId: uuid }) },
      notFound: 'Vacation not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'put',
      path: '/api/doctors/:id/photo',
      rpc: photo.setDoctorPhoto,
      access: 'admin',
      rate: 'api',
      summary: "Set a doctor's photo",
      request: { ...one, raw: picture },
      notFound: 'Doctor not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'delete',
      path: '/api/doctors/:id/photo',
      rpc: photo.removeDoctorPhoto,
      access: 'admin',
      rate: 'api',
      summary: "Remove a doctor's photo",
      request: one,
      notFound: 'Doctor not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'get',
      path: '/api/doctors/photos/:id',
      rpc: photo.getDoctorPhoto,
      access: 'public',
      rate: 'api',
      summary: "Show a doctor's photo",
      request: one,
      notFound: 'Photo not found',
      errors: ['NOT_FOUND'],
    },
  ],
};
