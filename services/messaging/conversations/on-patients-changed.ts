// Many patients were added or changed at once: the threads of their phones show who they are.
import { inTenant } from '@clinic/lib/db/db.ts';
import { subscribe } from '@clinic/lib/events/events.ts';
import { PatientsChangedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { forgetPatient, setPatient } from './conversations.sql.ts';
import { searchName } from './search-rules.ts';

/** What is true now is asked of scheduling, for all of them together, so order and repetition of the events do not matter. */
export const onPatientsChanged = (app: App) =>
  subscribe('patients-changed', 'scheduling', PatientsChangedSchema, async (_tx, { patients: changed }, { clinicId }) => {
    const { patients } = await app.scheduling.lookup.findPatients({ ids: changed.map(({ patientId }) => patientId) }, await app.clinics.acting(clinicId));
    await inTenant(app.db, clinicId, async (tx) => {
      for (const { id, fullName, phone, isArchived } of patients) {
        const reached = isArchived ? null : (phone ?? null);
        await forgetPatient(tx, id, reached);
        if (reached) await setPatient(tx, reached, { id, name: fullName, searchName: searchName(fullName) }, app.clock.now());
      }
    });
  });
