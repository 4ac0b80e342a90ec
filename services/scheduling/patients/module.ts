// Patients and their dependants, and their lookup by other services.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { SubjectService } from '@clinic/proto/scheduling/v1/data_subject_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { PatientBulkService } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import type { App } from '../app.ts';
import { columnContext, rowContext } from './encrypted-dui.ts';
import { publishErased } from './publish-patients.ts';
import { archivePatient, restorePatient } from './rpcs/archive-patient.ts';
import { createDependant, createPatient } from './rpcs/create-patient.ts';
import { exportPatients } from './rpcs/export-patients.ts';
import { findSubject } from './rpcs/find-subject.ts';
import { getPatient, listDependants, listPatients } from './rpcs/list-patients.ts';
import { findPatient, findPatientByPhone, findPatients, listPatientStates } from './rpcs/lookup.ts';
import { setRecallOptOut } from './rpcs/set-recall-opt-out.ts';
import { updatePatient } from './rpcs/update-patient.ts';

export const patients: Module<App> = {
  rpcs: [
    rpcs(PatientService, { createPatient, listPatients, getPatient, updatePatient }),
    rpcs(PatientFamilyService, { archivePatient, restorePatient, createDependant, listDependants }),
    rpcs(PatientBulkService, { exportPatients }),
    rpcs(LookupService, { findPatient, findPatients, findPatientByPhone, setRecallOptOut, listPatientStates }),
    rpcs(SubjectService, { findSubject }),
  ],
  personal: [
    {
      table: 'patients',
      ofPatient: 'id = any($ids)',
      erase: {
        full_name: "'Paciente eliminado'",
        search_name: "' paciente eliminado'",
        phone: 'null',
        claimed_phone: 'null',
        dui_sealed: 'null',
        dui_index: 'null',
        dui_verified: 'null',
        email: 'null',
        birth_date: 'null',
        gender: 'null',
        address: 'null',
        notes: 'null',
        recall_opted_out: 'true',
        guardian_id: 'null',
        archived_at: 'coalesce(archived_at, now())',
        erased_at: 'coalesce(erased_at, now())',
      },
      // Rows also stay for guardians, and for records that others were merged into.
      whole: true,
    },
    { table: 'recall_opt_outs', ofPatient: 'phone = any($phones)', erase: 'delete' },
  ],
  encrypted: [
    {
      table: 'patients',
      key: ['clinic_id', 'id'],
      column: 'dui_sealed',
      context: ({ clinic_id, id }) => rowContext(clinic_id, id),
      index: { column: 'dui_index', context: ({ clinic_id }) => columnContext(clinic_id) },
    },
  ],
  erased: publishErased,
};
