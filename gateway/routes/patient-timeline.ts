import { PatientTimelineService } from '@clinic/proto/scheduling/v1/patient_timeline_pb.js';
import { area } from './area.ts';
import { limit, text } from './schemas.ts';

export const patientTimeline = area({
  prefix: '/api/patients',
  tag: 'Timeline',
  about: 'Appointments, notes, prescriptions, signed forms, files, plans, payments, chart entries and messages of a patient, newest first.',
  all: { scope: 'none' },
  routes: [
    {
      method: 'get',
      path: '/api/patients/:patientId/timeline',
      rpc: PatientTimelineService.method.getPatientTimeline,
      query: { cursor: text(200).optional(), limit: limit() },
      notFound: 'Patient not found',
    },
  ],
});
