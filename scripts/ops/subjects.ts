// Exports or erases, service by service, the stored data about a patient or a clinic.
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { readSystem, sql } from '@clinic/lib/db/db.ts';
import { counted } from '@clinic/lib/formats/counted.ts';
import { toE164 } from '@clinic/lib/formats/phone.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { eraseRecords, exportRecords } from '@clinic/lib/privacy/data-subject.ts';
import { EraseRecordsRequestSchema, ExportRecordsRequestSchema, type SubjectSchema } from '@clinic/proto/common/v1/data_subject_pb.js';
import { FindSubjectRequestSchema } from '@clinic/proto/scheduling/v1/data_subject_pb.js';
import type pg from 'pg';
import { findSubject } from '../../services/scheduling/patients/rpcs/find-subject.ts';
import { findByPhone } from '../../services/scheduling/patients/sql/lookup.sql.ts';
import { listClaimsOf } from '../../services/scheduling/patients/sql/subjects.sql.ts';
import { SERVICES } from '../schemas.ts';
import { type Arguments, callOf, type Ops, OpsFault } from './command.ts';
import { listLastMoves } from './move-clinic/last-moves.ts';
import { personalDataOf } from './personal-data.ts';

export type Subject = MessageInitShape<typeof SubjectSchema>;

/** The value of `--clinic` or `--patient`. */
export function uuidOption({ values }: Arguments, name: string): string {
  const value = values[name];
  if (typeof value !== 'string') throw new OpsFault(`Set --${name} to the UUID of the ${name}.`);
  if (!isUuid(value)) throw new OpsFault(`--${name} ${value}: must be a UUID.`);
  return value.toLowerCase();
}

export function findPatient(ops: Ops, clinicId: string, patientId: string) {
  return findSubject({ db: ops.open('scheduling'), clock: systemClock }, create(FindSubjectRequestSchema, { clinicId, patientId }));
}

export const PHONES_OPTION = { phones: { type: 'string' } } as const;
export const PHONES_USAGE = `  --phones <phones>  former phones of the patient, such as +50371234567,+50371234568, whose chats are included. No list of former phones is
                     stored: ask the patient, or look for the name among the conversations`;

/** With it, only numbers with a country code are accepted. */
const NO_COUNTRY = '';

/**
 * The subject with the phones of `--phones`, and with the online bookings that gave one of them without proving it. `upcoming`: how many of these are to
 * take place. Throws when one of the phones is that of another patient.
 */
export async function withFormerPhones(ops: Ops, subject: Subject, { values }: Arguments): Promise<{ subject: Subject; upcoming: number }> {
  if (typeof values.phones !== 'string') return { subject, upcoming: 0 };
  const former: string[] = [];
  for (const [index, text] of values.phones.split(',').entries()) {
    const phone = toE164(text, NO_COUNTRY);
    if (!phone) throw new OpsFault(`--phones: number ${index + 1} of the list must be a phone with its country code, such as +50371234567.`);
    const { patient } = await findByPhone(ops.open('scheduling'), subject.clinicId ?? '', phone);
    if (patient && !subject.patientIds?.includes(patient.id))
      throw new OpsFault(`--phones: number ${index + 1} of the list is now the phone of another patient, whose chats would be included.`);
    former.push(phone);
  }
  const claims = await listClaimsOf(ops.open('scheduling'), subject.clinicId ?? '', former, systemClock.now());
  const added = claims.filter(({ id }) => !subject.patientIds?.includes(id));
  return {
    subject: {
      ...subject,
      patientIds: [...(subject.patientIds ?? []), ...added.map(({ id }) => id)],
      phones: [...new Set([...(subject.phones ?? []), ...former])],
      emails: [...(subject.emails ?? []), ...added.flatMap(({ emails }) => emails)],
    },
    upcoming: added.reduce((sum, one) => sum + one.upcoming, 0),
  };
}

const clinicStatement = sql('select from clinics where clinic_id = $1');

/**
 * Throws unless identity has the clinic, or a service still has rows of it, for example after an erasure. `moved`: whether a clinic that was moved to
 * another installation is accepted, of which the services may still have rows.
 */
export async function requireClinic(ops: Ops, clinicId: string, moved: 'accepted' | 'refused'): Promise<void> {
  if ((await readSystem(ops.open('identity'), clinicStatement, [clinicId])).length > 0) return;
  const target = moved === 'refused' && (await listLastMoves(ops)).get(clinicId)?.target;
  if (target) throw new OpsFault(`The clinic was moved to ${target}: run the command there.`);
  for (const service of SERVICES) {
    const { tables } = await eraseRecords(await appOf(ops, service), create(EraseRecordsRequestSchema, { subject: { clinicId }, dryRun: true }), callOf(ops));
    if (tables.length > 0) return;
  }
  throw new OpsFault(`No clinic has the id ${clinicId}.`);
}

async function appOf(ops: Ops, service: string) {
  return { db: ops.open(service), keys: ops.keys(service), personal: await personalDataOf(service) };
}

/** Calls `write` with each record of each service as JSON. Returns the number of records. */
export async function exportSubject(ops: Ops, subject: Subject, write: (service: string, record: string) => void): Promise<number> {
  let all = 0;
  for (const service of SERVICES) {
    const app = await appOf(ops, service);
    let count = 0;
    for (let after = ''; ; ) {
      const { records, next } = await exportRecords(app, create(ExportRecordsRequestSchema, { subject, after }), callOf(ops));
      for (const record of records) write(service, record);
      count += records.length;
      if (next === '') break;
      if (Math.floor(count / 1_000) > Math.floor((count - records.length) / 1_000)) ops.print(`${service}: ${count} records so far`);
      after = next;
    }
    ops.print(`${service}: ${counted(count, 'record')}`);
    all += count;
  }
  return all;
}

/**
 * Erases the data in these services one after another, prints each table, and returns the number of erased rows. `retained` collects the names of
 * retained tables, so that each is printed once.
 */
export async function eraseSubject(ops: Ops, subject: Subject, dryRun: boolean, services: readonly string[], retained = new Set<string>()): Promise<number> {
  let all = 0;
  for (const service of services) {
    const app = await appOf(ops, service);
    for (let more = true; more; ) {
      const answer = await afterConflicts(() => eraseRecords(app, create(EraseRecordsRequestSchema, { subject, dryRun }), callOf(ops)));
      for (const { table, rows, outcome, why } of answer.tables) {
        const isErased = outcome !== 'kept'; // plain-words: kept is a value of the contract
        const name = `${service}.${table}`;
        if (isErased) all += rows;
        else if (retained.has(name)) continue;
        else retained.add(name);
        const done = isErased ? `${dryRun ? 'would be ' : ''}${outcome}` : 'retained';
        ops.print(`${name}: ${rows} ${done}${why ? `: ${why}` : ''}`);
      }
      more = answer.more;
    }
  }
  return all;
}

/** A deadlock, since transactions of the running product may lock the same rows in another order; and a row that it added to one that was deleted. */
const CONFLICTS = ['40P01', '23503'];
const ATTEMPTS = 5;

/** Repeats a transaction that failed because of another one of the running product. */
async function afterConflicts<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === ATTEMPTS || !CONFLICTS.includes((error as pg.DatabaseError).code ?? '')) throw error;
    }
  }
}
