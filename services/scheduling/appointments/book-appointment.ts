// Books a slot at the desk or through the chat channel. booking-rules.ts decides whether the time is a slot; the exclusion constraint lets only one of
// several concurrent requests for a slot succeed.
import { createHash } from 'node:crypto';
import { toBinary } from '@bufbuild/protobuf';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseClockTime } from '@clinic/lib/formats/clock-time.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { AppointmentService, type BookAppointmentRequest, BookAppointmentRequestSchema } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { findOfferedTypeIn } from '../appointment-types/appointment-types.sql.ts';
import { lockRef, notesWithName, parsePatientRef, resolvePatient } from '../patients/booked-patient.ts';
import { type DuiHolder, decryptDui, encryptDui } from '../patients/encrypted-dui.ts';
import { parseOptionalDui } from '../patients/parse-patient.ts';
import { claimSlot, lockNeededResources, lockSlot } from '../slots/claim-slot.ts';
import { deleteDraft } from '../slots/slot-drafts.sql.ts';
import { addType, type Needs, parseNeeds } from '../slots/slot-needs.ts';
import { toProto } from './appointment-row.ts';
import { findAppointmentIn, findByIdempotencyKey } from './appointments.sql.ts';
import { insertBooking } from './insert-booking.ts';
import { isChat, MAX_NOTES } from './status-rules.ts';

export async function bookAppointment(app: App, request: BookAppointmentRequest, call: Call) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  const doctorId = parseUuid('doctorId', request.doctorId);
  const date = parseLocalDate('appointmentDate', request.appointmentDate);
  const startTime = parseClockTime('startTime', request.startTime);
  const dui = parseOptionalDui('patientDui', request.patientDui);
  const toDui = (patient: DuiHolder) => (dui === decryptDui(app.keys, patient) ? null : encryptDui(app.keys, clinic.id, patient.id, dui));
  const ref = { ...parsePatientRef(request, clinic.country), toDui };
  const notes = parseOptionalText('notes', request.notes, MAX_NOTES);
  const requested = parseNeeds(request);
  const draftId = request.slotDraftId === undefined ? undefined : parseUuid('slotDraftId', request.slotDraftId);

  const source = isChat(call.caller) ? 'chat' : 'manual';
  const idempotency_key = `${source.toUpperCase()}_${call.idempotencyKey ?? v7()}`;
  const request_hash = call.idempotencyKey === undefined ? undefined : hashOf(request);

  const wantedOf = (needs: Needs) => ({ doctorId, date, startTime, outsideHours: request.outsideHours, needs });

  /**
   * Finds an earlier booking with the key, and locks and reads the slot, in one round trip. The patient is locked after the chairs or rooms: with a type,
   * which decides their kind, only in book().
   */
  async function read(tx: TenantTx) {
    const { typeId } = requested;
    const [earlier, type, slot, patient] = await Promise.all([
      // The stored response is deleted after 24 hours; the key remains valid for as long as the appointment exists.
      request_hash && findByIdempotencyKey(tx, idempotency_key),
      typeId ? findOfferedTypeIn(tx, typeId, doctorId) : undefined,
      lockSlot(tx, clinic, wantedOf(requested), now, { draftId }),
      typeId ? undefined : lockRef(tx, ref),
    ]);
    return { earlier, type, slot, patient };
  }

  async function book(tx: TenantTx, { earlier, type, slot, patient: locked }: Awaited<ReturnType<typeof read>>) {
    if (earlier && !(request_hash && earlier.request_hash?.equals(request_hash))) fail('IDEMPOTENCY_KEY_REUSED');
    if (earlier) return toProto(found(await findAppointmentIn(tx, earlier.id), 'Appointment'));
    const wanted = wantedOf(requested.typeId ? addType(requested, type) : requested);
    const resolve = () => resolvePatient(tx, call.caller, ref, now, locked);
    // An unknown patient is reported before a slot that is taken.
    const [, known] = await Promise.all([requested.typeId && lockNeededResources(tx, wanted.needs), 'id' in ref ? resolve() : undefined]);
    const [claimed, patient, redeemed] = await Promise.all([
      claimSlot(tx, clinic, wanted, now, { draftId }, slot),
      known ?? resolve(),
      draftId === undefined ? true : deleteDraft(tx, draftId, doctorId),
    ]);
    if (!redeemed) fail('NOT_FOUND', 'Slot draft not found');
    if ('id' in ref && ref.toDui(patient)) invalid('patientDui', 'is not the DUI of the patient with patientId');
    const booking = { wanted, patient, source, notes: notesWithName('chat', ref, patient, notes), idempotency_key, request_hash } as const;
    return insertBooking(tx, call, claimed, booking, now);
  }

  return idempotent(app.db, call, AppointmentService.method.bookAppointment, request, book, read);
}

/** Without the DUI, which could be guessed from a hash. */
const hashOf = ({ patientDui: _, ...request }: BookAppointmentRequest) => createHash('sha256').update(toBinary(BookAppointmentRequestSchema, request)).digest();
