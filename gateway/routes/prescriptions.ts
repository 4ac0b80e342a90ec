import { PrescriptionService } from '@clinic/proto/scheduling/v1/prescription_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { date, maybe, pages, text, uuid } from './schemas.ts';

const { method } = PrescriptionService;
const short = text(200);
const item = z.object({ drug: short, dose: short, frequency: short, duration: short, notes: maybe(text(500)) });

export const prescriptions = area({
  prefix: '/api/patients',
  tag: 'Prescriptions',
  about: 'Prescriptions, numbered per clinic. A prescription never changes.',
  all: { scope: 'clinical', notFound: 'Prescription not found' },
  routes: [
    {
      method: 'get',
      path: '/api/patients/:patientId/prescriptions',
      rpc: method.listPrescriptions,
      query: { author_id: uuid.optional(), from: date.optional(), to: date.optional(), ...pages },
      notFound: 'Patient not found',
    },
    {
      method: 'post',
      path: '/api/patients/:patientId/prescriptions',
      rpc: method.createPrescription,
      scope: 'none', // only doctors prescribe
      roles: { allowed: ['doctor', 'admin'] },
      body: { items: z.array(item).min(1).max(20) },
      creates: true,
      notFound: 'Patient not found',
      errors: ['CONFLICT'],
      example: { items: [{ drug: 'Amoxicilina 500 mg, cápsulas', dose: '1 cápsula', frequency: 'Cada 8 horas', duration: '7 días' }] },
    },
    { method: 'get', path: '/api/patients/:patientId/prescriptions/:id.pdf', rpc: method.getPrescriptionDocument },
    { method: 'get', path: '/api/patients/:patientId/prescriptions/:id', rpc: method.getPrescription },
    {
      method: 'post',
      path: '/api/patients/:patientId/prescriptions/:id/send',
      rpc: method.sendPrescription,
      body: { channel: z.enum(['chat', 'mail']) },
      errors: ['CONFLICT', 'CHAT_NOT_CONNECTED'],
      example: { channel: 'mail' },
    },
  ],
});

export const sharedPrescriptions = area({
  prefix: '/api/prescriptions',
  tag: 'Shared prescriptions',
  about: 'Prescriptions that patients open by the link in a message.',
  all: { scope: 'none' },
  routes: [
    {
      method: 'get',
      path: '/api/prescriptions/shared/:token.pdf',
      rpc: method.openPrescription,
      rate: 'feed',
      summary: 'Download a prescription by its shared link',
      params: { token: z.string().regex(/^[\w-]{1,100}$/) },
      notFound: 'Prescription not found',
    },
  ],
});
