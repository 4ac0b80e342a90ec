import { MedicalAlertService } from '@clinic/proto/scheduling/v1/medical_alert_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { pages, text } from './schemas.ts';

const { method } = MedicalAlertService;
const kind = z.enum(['allergy', 'condition', 'medication', 'other']);
const severity = z.enum(['info', 'warning', 'danger']);

export const medicalAlerts = area({
  prefix: '/api/patients',
  tag: 'Medical alerts',
  about:
    'Allergies, conditions and medication of a patient. They are shown with the patient, with appointments, and in the agenda, the briefing and the chart.',
  all: { scope: 'clinical', notFound: 'Medical alert not found' },
  routes: [
    { method: 'get', path: '/api/patients/:patientId/alerts', rpc: method.listMedicalAlerts, query: pages, notFound: 'Patient not found' },
    {
      method: 'post',
      path: '/api/patients/:patientId/alerts',
      rpc: method.createMedicalAlert,
      body: { kind, severity, text: text(500) },
      creates: true,
      errors: ['CONFLICT'],
      example: { kind: 'allergy', severity: 'danger', text: 'Penicilina' },
      notFound: 'Patient not found',
    },
    {
      method: 'patch',
      path: '/api/patients/:patientId/alerts/:id',
      rpc: method.updateMedicalAlert,
      body: { kind: kind.optional(), severity: severity.optional(), text: text(500).optional() },
      errors: ['CONFLICT'],
      example: { severity: 'warning' },
    },
    { method: 'delete', path: '/api/patients/:patientId/alerts/:id', rpc: method.deleteMedicalAlert, errors: ['CONFLICT'] },
  ],
});
