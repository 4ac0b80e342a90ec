// Adds a patient to the waitlist.
import { audit } from '@clinic/lib/audit/audit.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parseClockTime } from '@clinic/lib/formats/clock-time.ts';
import { dateIn, parseDayRange } from '@clinic/lib/formats/local-date.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { WaitlistEntryUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { type JoinWaitlistRequest, WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { findType } from '../appointment-types/appointment-types.sql.ts';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { findDoctor } from '../doctors/doctors.sql.ts';
import { notesWithName, parsePatientRef, resolvePatient } from '../patients/booked-patient.ts';
import { refuseFarDate } from '../slots/farthest-date-rules.ts';
import { type Needs, parseNeeds, resolveNeeds } from '../slots/slot-needs.ts';
import { findEntry, insertEntry, toProto, toState } from './waitlist-entries.sql.ts';

export async function joinWaitlist(app: App, request: JoinWaitlistRequest, call: Call) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  const ref = parsePatientRef(request, clinic.country);
  const doctor_id = request.doctorId === undefined ? null : parseUuid('doctorId', request.doctorId);
  const { from: date_from, to: date_to } = parseDayRange(request.dateFrom, request.dateTo, ['dateFrom', 'dateTo']);
  const time_from = request.timeFrom === undefined ? null : parseClockTime('timeFrom', request.timeFrom);
  const time_to = request.timeTo === undefined ? null : parseClockTime('timeTo', request.timeTo);
  if (time_from && time_to && time_to <= time_from) invalid('timeTo', 'must be after timeFrom');
  const given = parseOptionalText('notes', request.notes, 2000);
  const needs = parseNeeds(request);
  return idempotent(app.db, call, WaitlistService.method.joinWaitlist, request, async (tx) => {
    if (doctor_id) {
      const doctor = await findDoctor(tx, doctor_id);
      found(doctor?.is_active ? doctor : undefined, 'Doctor');
    }
    if (needs.typeId) await checkType(tx, needs, doctor_id);
    const patient = await resolvePatient(tx, call.caller, ref, now);
    const patient_id = patient.id;
    const notes = notesWithName('chat', ref, patient, given);
    const timezone = await findZoneIn(tx, clinic.id, clinic.timezone);
    if (date_to < dateIn(timezone, now)) invalid('dateTo', 'must not be in the past');
    refuseFarDate('dateTo', date_to, timezone, now);
    const id = v7();
    const wish = { doctor_id, date_from, date_to, time_from, time_to, notes, type_id: needs.typeId, duration_minutes: needs.durationMinutes };
    if (!(await insertEntry(tx, { id, patient_id, ...wish }, now))) fail('WAITLIST_ENTRY_EXISTS');
    const [entry] = await Promise.all([
      findEntry(tx, id),
      emit(tx, clinic.id, WaitlistEntryUpdatedSchema, toState({ clinic_id: clinic.id, id, patient_id, status: 'waiting', revision: 1 })),
      audit(tx, clinic.id, call.caller, { action: 'waitlist_entry.joined', entityId: id, changes: { patient_id } }),
    ]);
    return toProto(found(entry, 'Waitlist entry'));
  });
}

/** An active type is offered by at least one doctor, so without a doctor it need only exist. */
async function checkType(tx: TenantTx, needs: Needs, doctorId: string | null): Promise<void> {
  if (doctorId) await resolveNeeds(tx, doctorId, needs);
  else found(await findType(tx, needs.typeId ?? ''), 'Appointment type');
}
