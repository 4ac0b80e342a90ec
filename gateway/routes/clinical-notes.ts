import { ClinicalNoteService } from '@clinic/proto/scheduling/v1/clinical_note_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { clearable, clearableNumber, date, integerText, maybe, pages, search, text, uuid } from './schemas.ts';

const { method } = ClinicalNoteService;
const note = text(20_000);
const tooth = z.int().min(11).max(85);
const filters = {
  search: search(200),
  appointment_id: uuid.optional(),
  tooth: integerText(11, 85).optional(),
  author_id: uuid.optional(),
  status: z.enum(['draft', 'signed']).optional(),
  from: date.optional(),
  to: date.optional(),
  ...pages,
};

export const clinicalNotes = area({
  prefix: '/api/patients',
  tag: 'Clinical notes',
  about: 'Notes on patients, appointments and teeth: drafts for 24 hours, then signed and only amended.',
  all: { scope: 'clinical', notFound: 'Clinical note not found' },
  routes: [
    { method: 'get', path: '/api/patients/:patientId/notes', rpc: method.listClinicalNotes, query: filters, notFound: 'Patient not found' },
    {
      method: 'post',
      path: '/api/patients/:patientId/notes',
      rpc: method.createClinicalNote,
      scope: 'none', // a note has an author
      body: { text: note, appointmentId: maybe(uuid), tooth: maybe(tooth) },
      notFound: 'Patient not found',
      errors: ['CONFLICT'],
      example: { text: 'Dolor al frío en la pieza 36, sin caries visible.', tooth: 36 },
      creates: true,
    },
    { method: 'get', path: '/api/patients/:patientId/notes/:id', rpc: method.getClinicalNote },
    {
      method: 'patch',
      path: '/api/patients/:patientId/notes/:id',
      rpc: method.updateClinicalNote,
      scope: 'none',
      body: { text: note.optional(), appointmentId: clearable(uuid), tooth: clearableNumber(tooth) },
      errors: ['CONFLICT', 'NOTE_SIGNED', 'FORBIDDEN'],
      example: { text: 'Dolor al frío en la pieza 36.' },
    },
    {
      method: 'delete',
      path: '/api/patients/:patientId/notes/:id',
      rpc: method.deleteClinicalNote,
      scope: 'none',
      errors: ['CONFLICT', 'NOTE_SIGNED', 'FORBIDDEN'],
    },
    { method: 'post', path: '/api/patients/:patientId/notes/:id/sign', rpc: method.signClinicalNote, scope: 'none', errors: ['CONFLICT', 'FORBIDDEN'] },
    {
      method: 'post',
      path: '/api/patients/:patientId/notes/:id/amendments',
      rpc: method.amendClinicalNote,
      scope: 'none',
      body: { text: note },
      errors: ['CONFLICT', 'NOTE_NOT_SIGNED'],
      example: { text: 'La pieza es la 37.' },
      creates: true,
    },
  ],
});

export const clinicNotes = area({
  prefix: '/api/clinical-notes',
  tag: 'Search of clinical notes',
  about: 'The clinical notes of all patients of the clinic.',
  all: { scope: 'clinical' },
  routes: [
    {
      method: 'get',
      path: '/api/clinical-notes',
      rpc: method.listClinicalNotes,
      operation: 'searchClinicalNotes',
      summary: 'Search the clinical notes of all patients',
      query: { patient_id: uuid.optional(), ...filters },
      notFound: 'Patient not found',
    },
  ],
});
