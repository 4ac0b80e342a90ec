// Which words of a message are names of the clinic's people: asked of the records, so that no name leaves because it is rare.
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { createClient } from '@connectrpc/connect';
import { plainWord, unknownWords } from './rules/mask-names.ts';
import type { Asking } from './tools/tool.ts';

const MOST_WORDS = 24;
const MATCHES = 50;
const MOST_DOCTORS = 500;

const wordsOf = (fullName: string) => fullName.split(/[\s-]+/).map(plainWord);
const TITLES = new Set(['dr', 'dra', 'lic', 'licda', '']);

/** The plain words by which somebody of the clinic is called. What is too much to ask about is taken for names. */
export async function calledIn({ app, as }: Asking, text: string): Promise<Set<string>> {
  const scheduling = app.neighbour('scheduling');
  const [patients, doctors] = [createClient(PatientService, scheduling), createClient(DoctorService, scheduling)];
  const unknown = unknownWords(text);
  const asked = unknown.slice(0, MOST_WORDS);
  const [staff, ...found] = await Promise.all([
    doctors.listDoctors({ page: 1, limit: MOST_DOCTORS }, as),
    ...asked.map(async (word) => {
      const matches = await patients.listPatients({ search: word, page: 1, limit: MATCHES }, as);
      return matches.patients.some(({ fullName }) => wordsOf(fullName).includes(plainWord(word))) ? plainWord(word) : undefined;
    }),
  ]);
  const names = [
    ...staff.doctors.flatMap(({ fullName }) => wordsOf(fullName)).filter((word) => !TITLES.has(word)),
    ...found,
    ...unknown.slice(MOST_WORDS).map(plainWord),
  ];
  return new Set(names.filter((word) => word !== undefined));
}
