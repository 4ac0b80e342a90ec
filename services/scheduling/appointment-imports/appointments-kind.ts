// Imports of past appointments. Nobody is notified: the only event brings projections up to date.
import { createHash } from 'node:crypto';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parseMinutes } from '@clinic/lib/formats/duration.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { foldWords } from '@clinic/lib/formats/search-name.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { AppointmentsUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { toState } from '../appointments/appointment-row.ts';
import { MAX_NOTES } from '../appointments/status-rules.ts';
import { localDay, minutesOf, timeOf } from '../clinics/local-day-rules.ts';
import { isoDate } from '../patient-imports/import-cell-rules.ts';
import type { Columns } from '../patient-imports/import-columns-rules.ts';
import type { Context, Kind, Outcome } from '../patient-imports/import-kind.ts';
import type { Fault } from '../patient-imports/patient-imports.sql.ts';
import { readCells } from '../patient-imports/read-cells.ts';
import { duiIndexes } from '../patients/encrypted-dui.ts';
import { clockTimeOf, splitDateTime, statusOf } from './appointment-cells-rules.ts';
import {
  addNoShows,
  countNewAppointments,
  type Doctor,
  insertPastAppointments,
  listCandidates,
  listDoctors,
  listTypes,
  lockPatients,
  type PastAppointment,
  type Type,
} from './appointment-imports.sql.ts';
import { isSameName, matchPatient, missingRef, type PatientRef, parseRef, REF_COLUMNS, refKey } from './patient-ref.ts';

const COLUMNS = {
  ...REF_COLUMNS,
  date: 'date appointment_date visit_date aptdatetime apt_date appt_date date_of_service service_date fecha fecha_cita fecha_de_cita fecha_de_la_cita fecha_visita dia', // plain-words: visit is in the columns of other programs
  time: 'time start_time appointment_time apt_time appt_time hora hora_inicio hora_de_inicio hora_cita',
  minutes: 'minutes duration duration_minutes length duracion minutos duracion_minutos',
  doctor: 'doctor doctor_name provider provider_name prov dentist doctora medico odontologo profesional',
  status: 'status aptstatus appointment_status apt_status appt_status estado estatus estado_de_la_cita',
  type: 'type appointment_type tipo tipo_de_cita',
  notes: 'notes note reason procedure procedures procdescript description notas nota motivo procedimiento tratamiento descripcion observaciones',
};
type Column = keyof typeof COLUMNS;

type Row = {
  row: number;
  ref: PatientRef;
  date: string;
  time: string;
  minutes: number | null;
  doctor: string;
  status: PastAppointment['status'];
  type: string;
  notes: string | null;
};

/** The time of an appointment whose row has none. */
const DEFAULT_TIME = '08:00';

export const APPOINTMENTS: Kind<Row, Column> = {
  name: 'appointments',
  job: 'import-appointments',
  action: 'appointment_import.finished',
  columns: COLUMNS,
  missing(columns) {
    if (!columns.date) return 'must have a header line with a column for the date, for example fecha or date';
    return missingRef(columns);
  },
  parse: parseRow,
  keyOf: ({ ref, date, time, doctor }) => hash([refKey(ref), date, time, foldWords(doctor).join(' ')].join('|')).readUIntBE(0, 6),
  repeated: (columns, first) => ({ column: columns.date?.header ?? '', message: `is in row ${first} already: an appointment has one row` }),
  prepare: async (app, job, rows, _seen, context) => (tx) => write(app, tx, job.dry_run, rows, context),
};

const hash = (text: string) => createHash('sha256').update(text).digest();

function parseRow(row: number, cells: string[], columns: Columns<Column>, { country, today }: Context): Row | Fault[] | undefined {
  const { at, attempt, faults, isEmpty } = readCells(row, cells, columns);
  if (isEmpty) return undefined;
  const start = splitDateTime(at('date'));
  const parsed = {
    row,
    ref: parseRef({ at, attempt }, country),
    date: attempt('date', () => parsePastDate(start.date, today)) ?? '',
    time: attempt(at('time') ? 'time' : 'date', () => clockTimeOf(at('time') || start.time || DEFAULT_TIME)) ?? '',
    minutes: attempt('minutes', (text) => (text ? parseMinutes('minutes', Number(text)) : null)) ?? null,
    doctor: attempt('doctor', (text) => text) ?? '',
    status: attempt('status', statusOf) ?? 'completed',
    type: attempt('type', (text) => text) ?? '',
    notes: attempt('notes', (text) => parseOptionalText('notes', text, MAX_NOTES)) ?? null,
  };
  return faults.length > 0 ? faults : parsed;
}

function parsePastDate(text: string, today: string): string {
  const date = parseLocalDate('date', isoDate(text));
  return date < today ? date : invalid('date', 'must be before today: later appointments are booked');
}

async function write(app: App, tx: TenantTx, isDryRun: boolean, rows: Row[], { zone }: Context): Promise<Outcome> {
  const duis = rows.flatMap(({ ref }) => ref.dui ?? []);
  const indexesOf = (dui: string) => duiIndexes(app.keys, tx.clinicId, dui);
  const refs = rows.map(({ ref }) => ref);
  const [candidates, doctors, types] = await Promise.all([listCandidates(tx, refs, duis.flatMap(indexesOf)), listDoctors(tx), listTypes(tx)]);
  const faults: Fault[] = [];
  const matched = rows.flatMap((row) => {
    const patient = matchPatient(row.ref, candidates, indexesOf);
    const appointment = 'fault' in patient ? patient : toAppointment(row, patient.id, doctors, types, zone);
    if (!('fault' in appointment)) return [appointment];
    faults.push({ row: row.row, column: '', message: appointment.fault });
    return [];
  });
  const appointments = [...new Map(matched.map((one) => [one.idempotency_key, one])).values()];
  const outcome = (created: number) => ({ created, updated: 0, skipped: matched.length - created, faults });
  if (isDryRun) return outcome(await countNewAppointments(tx, appointments));
  const patientIds = [...new Set(appointments.map(({ patient_id }) => patient_id))];
  if ((await lockPatients(tx, patientIds)).length < patientIds.length) fail('CONFLICT', 'a patient was merged by a concurrent change'); // the caller retries the batch
  const now = app.clock.now();
  const inserted = await insertPastAppointments(tx, appointments, now);
  const missed = inserted.flatMap(({ patient_id, status }) => (status === 'no_show' ? patient_id : []));
  await Promise.all([
    missed.length > 0 && addNoShows(tx, missed, now),
    inserted.length > 0 && emit(tx, tx.clinicId, AppointmentsUpdatedSchema, { appointments: inserted.map((one) => toState(one, zone)) }),
  ]);
  return outcome(inserted.length);
}

function toAppointment(row: Row, patient_id: string, doctors: Doctor[], types: Type[], zone: string): PastAppointment | { fault: string } {
  const doctor = findDoctor(row.doctor, doctors);
  if ('fault' in doctor) return doctor;
  const type = row.type ? types.find(({ name }) => sameText(name, row.type)) : undefined;
  if (row.type && !type) return { fault: 'names a type that the clinic does not have' };
  const minutes = row.minutes ?? type?.duration_minutes ?? doctor.consultation_duration_minutes;
  const start = minutesOf(row.time);
  const starts_at = new Date(localDay(zone, row.date).at(start));
  const after = (length: number) => new Date(starts_at.getTime() + length * 60_000);
  return {
    id: v7(),
    doctor_id: doctor.id,
    patient_id,
    appointment_date: row.date,
    start_time: row.time,
    end_time: timeOf(start + minutes),
    starts_at,
    ends_at: after(minutes),
    busy_until: after(minutes + doctor.buffer_time_minutes),
    status: row.status,
    notes: row.notes,
    idempotency_key: `IMPORT_${hash([patient_id, doctor.id, row.date, row.time].join('|')).toString('base64url')}`,
    type_id: type?.id ?? null,
    duration_minutes: row.minutes ?? type?.duration_minutes ?? null,
  };
}

const sameText = (one: string, other: string) => foldWords(one).join(' ') === foldWords(other).join(' ');

const TITLES = new Set(['dr', 'dra', 'doctor', 'doctora', 'lic', 'licda']);
const withoutTitle = (name: string) =>
  foldWords(name)
    .filter((word) => !TITLES.has(word))
    .join(' ');

/** The doctor with the id or, without a title, the name. A clinic with one doctor needs neither. */
function findDoctor(text: string, doctors: Doctor[]): Doctor | { fault: string } {
  const name = withoutTitle(text);
  if (!name) return doctors.length === 1 && doctors[0] ? doctors[0] : { fault: 'names no doctor' };
  const ways = [
    (one: Doctor) => one.id === text.toLowerCase(),
    (one: Doctor) => withoutTitle(one.full_name) === name,
    (one: Doctor) => isSameName(withoutTitle(one.full_name), name),
  ];
  const found = ways.map((is) => doctors.filter(is)).find((some) => some.length > 0) ?? [];
  if (found.length === 1 && found[0]) return found[0];
  return { fault: found.length === 0 ? 'names a doctor whom the clinic does not have' : 'names several doctors: use the whole name or the id' };
}
