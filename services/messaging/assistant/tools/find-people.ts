// Finds the doctor or patient that an argument names: by a reference name, such as paciente-2, or by the person's name.
import { toE164 } from '@clinic/lib/formats/phone.ts';
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';
import { searchName } from '@clinic/lib/formats/search-name.ts';
import type { Doctor } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { FoundPatient } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { plainWord } from '../rules/mask-names.ts';
import { person, phone, type Reference, reference } from '../rules/tool-output.ts';
import { type ToolContext, ToolProblem } from './tool.ts';

type Named = { id: string; fullName: string };
export const patientReference = ({ id, fullName }: Named): Reference => ({ kind: 'paciente', id, href: `/api/patients/${id}`, label: fullName });
export const doctorReference = ({ id, fullName }: Named): Reference => ({ kind: 'doctor', id, href: `/api/doctors/${id}`, label: fullName });

type FoundName = Named & { phone?: string | undefined };
export const patientToModel = (one: FoundName) => ({ ref: reference(patientReference(one)), name: person(one.fullName), phone: phone(one.phone) });

const MAX_DOCTORS = 500;
const TITLES = new Set(['dr', 'dra', 'doctor', 'doctora']);

const wordsOf = (name: string) =>
  foldPhrase(name)
    .split(/\s+/)
    .map(plainWord)
    .filter((word) => word !== '' && !TITLES.has(word));

/** The active doctors with the name, or all active doctors if it is empty. Throws a ToolProblem if there is none. */
export async function findDoctors({ app, asUser, findReference }: ToolContext, name: string | undefined): Promise<Doctor[]> {
  const { doctors } = await app.scheduling.doctors.listDoctors({ page: 1, limit: MAX_DOCTORS }, asUser);
  if (!name?.trim()) return doctors;
  const known = findReference(name.trim());
  const wanted = wordsOf(name);
  const matches = ({ id, fullName }: Named) => (known ? known.id === id : wanted.length > 0 && wanted.every((word) => wordsOf(fullName).includes(word)));
  const found = doctors.filter(matches);
  if (found.length === 0)
    throw new ToolProblem('no_such_doctor', `No encontré un doctor activo con el nombre «${name.trim()}».`, `I found no active doctor named “${name.trim()}”.`);
  return found;
}

/** Throws a ToolProblem unless exactly one doctor matches. */
export async function findDoctor(context: ToolContext, name: string | undefined): Promise<Doctor> {
  const found = await findDoctors(context, name);
  const [only] = found;
  if (only && found.length === 1) return only;
  const names = found.map(({ fullName }) => fullName).join(', ');
  throw new ToolProblem(
    'which_doctor',
    `¿Con qué doctor? ${names}`,
    `With which doctor? ${names}`,
    found.map((doctor) => ({ doctor: reference(doctorReference(doctor)), name: person(doctor.fullName) })),
  );
}

const MAX_MATCHES = 6;

/** Throws a ToolProblem unless exactly one patient matches. */
export async function findPatient(context: ToolContext, name: string): Promise<FoundPatient> {
  const known = context.findReference(name.trim());
  const id = known?.kind === 'paciente' ? known.id : await findPatientId(context, name);
  return context.app.scheduling.lookup.findPatient({ id }, context.asUser);
}

/** A new patient has no id. */
type BookedPatient = Pick<FoundPatient, 'fullName' | 'reachablePhone'> & Partial<FoundPatient>;

/**
 * The patient of a booking, who may be new if there is a phone. Throws a ToolProblem if the phone is that of a patient with another name, whom the booking
 * would rename.
 */
export async function findBookedPatient(context: ToolContext, fullName: string, givenPhone: string | undefined): Promise<BookedPatient> {
  if (!givenPhone || context.findReference(fullName.trim())) return findPatient(context, fullName);
  const { app, asUser, clinic } = context;
  const reachablePhone = toE164(givenPhone, clinic.country);
  if (!reachablePhone) throw new ToolProblem('bad_phone', `«${givenPhone}» no es un teléfono.`, `“${givenPhone}” is not a phone number.`);
  const { patient: owner, dependants } = await app.scheduling.lookup.findPatientByPhone({ phone: reachablePhone }, asUser);
  if (!owner) return { fullName, reachablePhone };
  const family = [owner, ...dependants];
  const named = family.find((one) => searchName(one.fullName) === searchName(fullName));
  if (named) return named;
  throw new ToolProblem(
    'phone_taken',
    `Ese teléfono ya es de ${owner.fullName}. ¿La cita es para esa persona?`,
    `That phone is already the phone of ${owner.fullName}. Is the appointment for that person?`,
    family.map(toOption),
  );
}

async function findPatientId(context: ToolContext, name: string): Promise<string> {
  const { app, asUser } = context;
  const { patients } = await app.scheduling.patients.listPatients({ search: name, page: 1, limit: MAX_MATCHES }, asUser);
  const exact = patients.filter(({ fullName }) => foldPhrase(fullName) === foldPhrase(name));
  const [only] = exact.length === 1 ? exact : patients;
  if (!only) {
    const similar = await findSimilar(context, name);
    const names = similar.map(({ fullName }) => fullName).join(', ');
    throw new ToolProblem(
      'no_such_patient',
      `No encontré un paciente con el nombre «${name}»${names ? `. ¿Es alguien de estos? ${names}` : ', quizá está escrito de otra forma o archivado'}.`,
      `I found no patient named “${name}”${names ? `. Is it one of these? ${names}` : ': the name may be spelled differently, or the patient archived'}.`,
      similar.map(toOption),
    );
  }
  if (exact.length !== 1 && patients.length > 1) {
    const names = patients.map(({ fullName }) => fullName).join(', ');
    throw new ToolProblem(
      'which_patient',
      `Hay varios pacientes con ese nombre: ${names}. ¿Cuál?`,
      `There are several patients of that name: ${names}. Which one?`,
      patients.map(toOption),
    );
  }
  return only.id;
}

const toOption = (patient: FoundName) => ({ patient: reference(patientReference(patient)), name: person(patient.fullName), phone: phone(patient.phone) });

/** Patients' names by id. */
export async function findPatientNames({ app, asUser }: Pick<ToolContext, 'app' | 'asUser'>, of: { patientId: string }[]): Promise<Map<string, string>> {
  const ids = [...new Set(of.map(({ patientId }) => patientId))];
  const { patients } = ids.length > 0 ? await app.scheduling.lookup.findPatients({ ids }, asUser) : { patients: [] };
  return new Map(patients.map(({ id, fullName }) => [id, fullName]));
}

const MAX_SEARCHES = 8;

/** Patients whose names contain only some of the words: all but one, or else any. */
async function findSimilar({ app, asUser }: ToolContext, name: string): Promise<FoundName[]> {
  const words = name.split(/\s+/).filter((word) => word.length > 2);
  const parts = words.map((_, index) => words.toSpliced(index, 1).join(' ')); // all words but one
  for (const searches of words.length > 2 ? [parts, words] : [words]) {
    const pages = await Promise.all(
      [...new Set(searches)].slice(0, MAX_SEARCHES).map((search) => app.scheduling.patients.listPatients({ search, page: 1, limit: MAX_MATCHES }, asUser)),
    );
    const found = new Map(pages.flatMap(({ patients }) => patients).map((one) => [one.id, one]));
    if (found.size > 0) return [...found.values()].slice(0, MAX_MATCHES);
  }
  return [];
}
