// Clinical notes of patients: drafts, signed notes and their amendments.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { ClinicalNoteService } from '@clinic/proto/scheduling/v1/clinical_note_pb.js';
import type { App } from '../app.ts';
import { getClinicalNote, listClinicalNotes } from './list-notes.ts';
import { amendClinicalNote, signClinicalNote, signDueNotesJob } from './sign-notes.ts';
import { createClinicalNote, deleteClinicalNote, updateClinicalNote } from './write-notes.ts';

export const clinicalNotes: Module<App> = {
  rpcs: [
    rpcs(ClinicalNoteService, {
      listClinicalNotes,
      getClinicalNote,
      createClinicalNote,
      updateClinicalNote,
      deleteClinicalNote,
      signClinicalNote,
      amendClinicalNote,
    }),
  ],
  jobs: (app) => [signDueNotesJob(app)],
  // Amendments refer to the notes they amend, so those of a patient are deleted by one statement.
  personal: [{ table: 'clinical_notes', ofPatient: 'patient_id = any($ids)', erase: 'delete', whole: true }],
};
