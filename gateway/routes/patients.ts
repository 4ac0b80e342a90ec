// Patients of a clinic.
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { z } from 'zod';
import type { Area } from '../http/route.ts';
import { clearable, date, dui, email, limit, maybe, page, phone, text, uuid } from './schemas.ts';

const { method } = PatientService;

const gender = z.enum(['female', 'male', 'other']);
const one = { params: z.object({ id: uuid }) };

export const patients: Area = {
  prefix: '/api/patients',
  tag: 'Patients',
  about: 'Patient records. The national id (DUI) is encrypted at rest and masked in lists.',
  routes: [
    {
      method: 'get',
      path: '/api/patients',
      rpc: method.listPatients,
      access: 'user',
      rate: 'api',
      summary: 'Search patients',
      request: { query: z.object({ search: z.string().trim().max(200).default(''), page, limit: limit() }) },
    },
    {
      method: 'post',
      path: '/api/patients',
      rpc: method.createPatient,
      access: 'user',
      rate: 'api',
      summary: 'Add a patient',
      request: {
        body: z.object({
          fullName: text(200),
          phone,
          dui: maybe(dui),
          email: maybe(email),
          birthDate: maybe(date),
          gender: maybe(gender),
          address: maybe(text(500)),
          notes: maybe(text(5000)),
        }),
      },
      status: 201,
      creates: true,
      errors: ['PHONE_TAKEN'],
      example: { fullName: 'María López', phone: '+50370001234', dui: '00016297-5', birthDate: '1990-04-12', gender: 'female' },
    },
    {
      method: 'get',
      path: '/api/patients/:id',
      rpc: method.getPatient,
      access: 'user',
      rate: 'api',
      summary: 'Get a patient',
      request: one,
      notFound: 'Patient not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'patch',
      path: '/api/patients/:id',
      rpc: method.updatePatient,
      access: 'user',
      rate: 'api',
      summary: 'Change a patient',
      request: {
        ...one,
        body: z.object({
          fullName: text(200).optional(),
          phone: phone.optional(),
          dui: clearable(dui),
          email: clearable(email),
          birthDate: clearable(date),
          gender: clearable(gender),
          address: clearable(text(500)),
          notes: clearable(text(5000)),
        }),
      },
      notFound: 'Patient not found',
      errors: ['NOT_FOUND', 'PHONE_TAKEN', 'CONFLICT'],
      example: { email: 'maria@example.com', notes: null },
    },
    {
      method: 'delete',
      path: '/api/patients/:id',
      rpc: PatientFamilyService.method.archivePatient,
      access: 'admin',
      rate: 'api',
      summary: 'Archive a patient',
      request: one,
      notFound: 'Patient not found',
      errors: ['NOT_FOUND'],
    },
  ],
};
