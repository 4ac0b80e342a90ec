// The timeline of a patient, from all services.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { PatientTimelineService } from '@clinic/proto/scheduling/v1/patient_timeline_pb.js';
import type { App } from '../app.ts';
import { getPatientTimeline } from './get-patient-timeline.ts';

export const timeline: Module<App> = { rpcs: [rpcs(PatientTimelineService, { getPatientTimeline })] };
