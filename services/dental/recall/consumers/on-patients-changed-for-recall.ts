// Recall knows whom it may write to, also of those who came together.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PatientsChangedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../../app.ts';
import { upsertPatients } from '../sql/recall-projection.sql.ts';

export const onPatientsChangedForRecall = (app: App) =>
  subscribe('recall-patients-changed', 'scheduling', PatientsChangedSchema, async (tx, { patients }, { clinicId }) => {
    const clinicIds = patients.map(() => clinicId);
    await upsertPatients(tx, clinicIds, patients, app.clock.now());
  });
