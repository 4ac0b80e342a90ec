import { maskDui, normalizeDui } from '@clinic/lib/formats/dui.ts';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { clearable, date, dui, email, flag, maybe, pages, phone, search, text } from './schemas.ts';

const { method } = PatientService;

/** A DUI, or a masked one, as lists return it. */
const duiOrMask = z
  .string()
  .refine((value) => normalizeDui(value) !== undefined || value === maskDui(value), 'must be 8 digits, a dash and 1 digit')
  .meta({ examples: ['00016297-5'] });

const gender = z.enum(['female', 'male', 'other']);

/** The optional fields of a new record. */
export const details = {
  dui: maybe(dui),
  email: maybe(email),
  birthDate: maybe(date),
  gender: maybe(gender),
  address: maybe(text(500)),
  notes: maybe(text(5000)),
};

export const patients = area({
  prefix: '/api/patients',
  tag: 'Patients',
  about: 'Patient records. The national id (DUI) is encrypted at rest and masked in lists.',
  all: { scope: 'patients', notFound: 'Patient not found' },
  routes: [
    { method: 'get', path: '/api/patients', rpc: method.listPatients, summary: 'Search patients', query: { search: search(200), archived: flag, ...pages } },
    {
      method: 'post',
      path: '/api/patients',
      rpc: method.createPatient,
      body: { fullName: text(200), phone, ...details },
      creates: true,
      errors: ['PHONE_TAKEN'],
      example: { fullName: 'María López', phone: '+50370001234', dui: '00016297-5', birthDate: '1990-04-12', gender: 'female' },
    },
    { method: 'get', path: '/api/patients/:id', rpc: method.getPatient },
    {
      method: 'patch',
      path: '/api/patients/:id',
      rpc: method.updatePatient,
      body: {
        fullName: text(200).optional(),
        phone: clearable(phone),
        dui: clearable(duiOrMask),
        email: clearable(email),
        birthDate: clearable(date),
        gender: clearable(gender),
        address: clearable(text(500)),
        notes: clearable(text(5000)),
      },
      errors: ['PHONE_TAKEN', 'CONFLICT'],
      example: { email: 'maria@example.com', notes: null },
    },
    { method: 'delete', path: '/api/patients/:id', rpc: PatientFamilyService.method.archivePatient },
  ],
});
