// Adds a patient to the waitlist.

import { audit } from '@clinic/lib/audit/audit.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { found, invalid } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parseClockTime } from '@clinic/lib/formats/clock-time.ts';
import { dateIn, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parsePhone } from '@clinic/lib/formats/phone.ts';
import { searchName } from '@clinic/lib/formats/search-name.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { WaitlistEntryUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { type JoinWaitlistRequest, WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { findDoctor } from '../doctors/doctors.sql.ts';
import { publishCreated, publishUpdated } from '../patients/publish-patients.ts';
import { lockPatientKey, upsertByPhone } from '../patients/sql/patients.sql.ts';
import { findEntry, insertEntry, toProto, toState } from './waitlist-entries.sql.ts';

export async function joinWaitlist(app: App, request: JoinWaitlistRequest, call: Call) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  const who = parseWho(request, clinic.country);
  const doctor_id = request.doctorId === undefined ? null : parseUuid('doctorId', request.doctorId);
  const date_from = parseLocalDate('dateFrom', request.dateFrom);
  const date_to = parseLocalDate('dateTo', request.dateTo);
  if (date_to < date_from) invalid('dateTo', 'must not be before dateFrom');
  const time_from = request.timeFrom === undefined ? null : parseClockTime('timeFrom', request.timeFrom);
  const time_to = request.timeTo === undefined ? null : parseClockTime('timeTo', request.timeTo);
  if (time_from && time_to && time_to <= time_from) invalid('timeTo', 'must be after timeFrom');
  const notes = parseOptionalText('notes', request.notes, 2000);
  return idempotent(app.db, call, WaitlistService.method.joinWaitlist, request, async (tx) => {
    if (doctor_id) {
      const doctor = await findDoctor(tx, doctor_id);
      found(doctor?.is_active ? doctor : undefined, 'Doctor');
    }
    const patient_id = 'id' in who ? await existingPatient(tx, who.id) : await patientByPhone(tx, who, now);
    if (date_to < dateIn(clinic.timezone, now)) invalid('dateTo', 'must not be in the past');
    const id = v7();
    await insertEntry(tx, { id, patient_id, doctor_id, date_from, date_to, time_from, time_to, notes }, now);
    const [entry] = await Promise.all([
      findEntry(tx, id),
      emit(tx, clinic.id, WaitlistEntryUpdatedSchema, toState({ clinic_id: clinic.id, id, patient_id, status: 'waiting', revision: 1 })),
      audit(tx, clinic.id, call.caller, { action: 'waitlist_entry.joined', entityId: id }),
    ]);
    return toProto(found(entry, 'Waitlist entry'));
  });
}

type Who = { id: string } | { full_name: string; phone: string };

function parseWho({ patientId, patientName, patientPhone }: JoinWaitlistRequest, country: string): Who {
  if (patientId !== undefined) return { id: parseUuid('patientId', patientId) };
  if (patientName === undefined || patientPhone === undefined) return invalid('patientId', 'must be sent, or else patientName and patientPhone');
  return { full_name: parseText('patientName', patientName, 200), phone: parsePhone('patientPhone', patientPhone, country) };
}

/** Throws NOT_FOUND for an archived patient. */
async function existingPatient(tx: TenantTx, id: string): Promise<string> {
  const patient = await lockPatientKey(tx, id);
  return found(patient?.archived_at ? undefined : patient, 'Patient').id;
}

async function patientByPhone(tx: TenantTx, { full_name, phone }: { full_name: string; phone: string }, now: Date): Promise<string> {
  const patient = await upsertByPhone(tx, v7(), { full_name, search_name: searchName(full_name), phone }, now);
  await (patient.inserted ? publishCreated : publishUpdated)(tx, tx.clinicId, patient);
  return patient.id;
}
