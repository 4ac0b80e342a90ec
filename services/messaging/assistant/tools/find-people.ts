// Finds whom a question means: by the word that the talk has for a record, or by name.
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';
import { type Doctor, DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { type FoundPatient, LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { createClient } from '@connectrpc/connect';
import { plainWord } from '../rules/mask-names.ts';
import { person, phone, type Reference, reference } from '../rules/tool-output.ts';
import { type Asking, in2, ToolProblem } from './tool.ts';

export const patientReference = ({ id, fullName }: { id: string; fullName: string }): Reference => ({
  kind: 'paciente',
  id,
  href: `/api/patients/${id}`,
  label: fullName,
});
export const doctorReference = ({ id, fullName }: { id: string; fullName: string }): Reference => ({
  kind: 'doctor',
  id,
  href: `/api/doctors/${id}`,
  label: fullName,
});

const MOST_DOCTORS = 500;
const TITLES = new Set(['dr', 'dra', 'doctor', 'doctora']);

const namesOf = (text: string) =>
  foldPhrase(text)
    .split(/\s+/)
    .map(plainWord)
    .filter((word) => word !== '' && !TITLES.has(word));

/** The active doctors of that name or word; all of them without one. */
export async function doctorsNamed(asking: Asking, named: string | undefined): Promise<Doctor[]> {
  const { doctors } = await createClient(DoctorService, asking.app.neighbour('scheduling')).listDoctors({ page: 1, limit: MOST_DOCTORS }, asking.as);
  if (!named?.trim()) return doctors;
  const known = asking.recordOf(named.trim());
  const wanted = namesOf(named);
  const found = doctors.filter(({ id, fullName }) => (known ? known.id === id : wanted.length > 0 && wanted.every((word) => namesOf(fullName).includes(word))));
  if (found.length === 0)
    throw new ToolProblem('no_such_doctor', in2(asking.language, 'No hay ningún doctor activo con ese nombre.', 'There is no active doctor of that name.'));
  return found;
}

export async function doctorNamed(asking: Asking, named: string | undefined): Promise<Doctor> {
  const found = await doctorsNamed(asking, named);
  const [only] = found;
  if (only && found.length === 1) return only;
  const names = found.map(({ fullName }) => fullName);
  throw new ToolProblem(
    'which_doctor',
    in2(asking.language, `¿Con qué doctor? ${names.join(', ')}`, `With which doctor? ${names.join(', ')}`),
    found.map((doctor) => ({ doctor: reference(doctorReference(doctor)), name: person(doctor.fullName) })),
  );
}

const FEW = 6;

/** The one patient of that name or word. A ToolProblem when there is none, or several. */
export async function patientNamed(asking: Asking, named: string): Promise<FoundPatient> {
  const scheduling = asking.app.neighbour('scheduling');
  const known = asking.recordOf(named.trim());
  const id = known?.kind === 'paciente' ? known.id : await theOnly(asking, named);
  return createClient(LookupService, scheduling).findPatient({ id }, asking.as);
}

async function theOnly(asking: Asking, named: string): Promise<string> {
  const { patients } = await createClient(PatientService, asking.app.neighbour('scheduling')).listPatients({ search: named, page: 1, limit: FEW }, asking.as);
  const exact = patients.filter(({ fullName }) => foldPhrase(fullName) === foldPhrase(named));
  const [only] = exact.length === 1 ? exact : patients;
  if (!only) throw new ToolProblem('no_such_patient', in2(asking.language, 'No hay ningún paciente con ese nombre.', 'There is no patient of that name.'));
  if (exact.length !== 1 && patients.length > 1) {
    const names = patients.map(({ fullName }) => fullName).join(', ');
    throw new ToolProblem(
      'which_patient',
      in2(asking.language, `Hay varios pacientes con ese nombre: ${names}. ¿Cuál?`, `There are several patients of that name: ${names}. Which one?`),
      patients.map((patient) => ({ patient: reference(patientReference(patient)), name: person(patient.fullName), phone: phone(patient.phone) })),
    );
  }
  return only.id;
}
