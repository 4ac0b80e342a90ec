// Creates a record of every kind for a clinic: doctor, patient and appointment, and all records that the rows can create with the examples of the
// reference. So tests of isolation cover new kinds of records automatically.
import { randomUUID } from 'node:crypto';
import type { Api, Body } from './api.ts';
import { addDoctor, addPatient, book, booking, type Clinic, inDays } from './clinic.ts';
import { asField, coreOf, idFields, pathOf, type Row, rows, schemaOf } from './rows.ts';

/** Ids by the plural noun that paths use: doctors, treatment-plans. */
export type Records = Record<string, string>;

/** The id for a parameter or field of this name, if the clinic has such a record. */
export function idFor(records: Records, name: string, path: string): string | undefined {
  const before = path.split('/').at(path.split('/').indexOf(`:${name}`) - 1) ?? '';
  const stem = name.replace(/_?id$/i, '').replaceAll('_', '-').toLowerCase();
  const noun = stem === '' ? before : `${stem}s`;
  const kin = Object.keys(records).find((known) => noun.endsWith(known) || before === known);
  return records[noun] ?? (kin ? records[kin] : undefined);
}

/** A valid body: the example of the reference with the clinic's own ids and a future date; without an example, only the required fields. */
export function bodyFor(row: Row, idOf: (name: string) => string): Body {
  if (!row.request?.body) return undefined;
  const { properties = {}, required = [] } = schemaOf(row.request.body);
  const example = row.example ?? Object.fromEntries(required.map((name: string) => [name, sampleOf(properties[name])]));
  const ids = idFields(row.request.body).filter((name) => name in example);
  const date = 'appointmentDate' in example ? { appointmentDate: inDays(7) } : {};
  return { ...example, ...date, ...Object.fromEntries(ids.map((name) => [name, asField(row.request?.body, name, idOf(name))])) };
}

/** The required parameters of the query. */
export function queryFor(row: Row): Record<string, string> {
  const { properties = {}, required = [] } = schemaOf(row.request?.query) ?? {};
  return Object.fromEntries(required.map((name: string) => [name, String(sampleOf(properties[name]))]));
}

export const queryText = (query: Record<string, string>) => (Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : '');

function sampleOf(field: Body): unknown {
  const { examples, enum: allowed, type, format, minimum = 1 } = coreOf(field);
  if (examples) return examples[0];
  if (format === 'uuid') return randomUUID();
  if (allowed) return allowed[0];
  if (type === 'integer' || type === 'number') return minimum;
  return type === 'boolean' ? false : type === 'array' ? [] : inDays(7); // a day is a text too
}

/** Creates the records. Rows that need more than their example are left out. */
export async function furnish(api: Api, clinic: Clinic): Promise<Records> {
  const doctor = await addDoctor(api, clinic);
  const { id: appointment, patient_id: guest } = await book(api, clinic, booking(doctor.id, '08:00'));
  const patient = await addPatient(api, clinic, { dui: '00016297-5' });
  const records: Records = { doctors: doctor.id, patients: patient.id, appointments: appointment, guests: guest };
  for (const row of rows.filter(({ method, access }) => method === 'post' && (access === 'user' || access === 'admin'))) {
    const noun = row.path.split('/').at(-1) ?? '';
    if (records[noun]) continue;
    const idOf = (name: string) => idFor(records, name, row.path) ?? doctor.id;
    const { status, body } = await api.post(pathOf(row, idOf), bodyFor(row, idOf), clinic);
    if (status === 201 && typeof body?.id === 'string') records[noun] = body.id;
  }
  return records;
}
