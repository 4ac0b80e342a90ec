import { MedicalAlertService } from '@clinic/proto/scheduling/v1/medical_alert_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { pages, text } from './schemas.ts';

const { method } = MedicalAlertService;
const kind = z.enum(['allergy', 'condition', 'medication', 'other']);
const severity = z.enum(['info', 'warning', 'danger']);
const notFound = 'Medical alert not found';

export const medicalAlerts = area({
  prefix: '/api/patients',
  tag: 'Medical alerts',
  about: 'Allergies, conditions and medication of a patient. They appear on the patient, on appointments, in the agenda, the briefing and the chart.',
  all: { scope: 'clinical' },
  routes: [
    { method: 'get', path: '/api/patients/:patientId/alerts', rpc: method.listMedicalAlerts, query: pages, notFound: 'Patient not found' },
    {
      method: 'post',
      path: '/api/patients/:patientId/alerts',
      rpc: method.createMedicalAlert,
      body: { kind, severity, text: text(500) },
      status: 201,
      creates: true,
      notFound: 'Patient not found',
      errors: ['CONFLICT'],
      example: { kind: 'allergy', severity: 'danger', text: 'Penicilina' },
    },
    {
      method: 'patch',
      path: '/api/patients/:patientId/alerts/:id',
      rpc: method.updateMedicalAlert,
      body: { kind: kind.optional(), severity: severity.optional(), text: text(500).optional() },
      notFound,
      example: { severity: 'warning' },
    },
    { method: 'delete', path: '/api/patients/:patientId/alerts/:id', rpc: method.deleteMedicalAlert, notFound },
  ],
});
