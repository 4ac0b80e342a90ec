// Recall knows who has come and who will come.
import { subscribe } from '@clinic/lib/events/events.ts';
import { AppointmentReassignedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../../app.ts';
import { projectAppointment } from './project-appointments.ts';

export const onAppointmentReassignedForRecall = (app: App) =>
  subscribe('recall-appointment-reassigned', 'scheduling', AppointmentReassignedSchema, (tx, { appointment }, { clinicId }) =>
    projectAppointment(app, tx, clinicId, appointment),
  );
