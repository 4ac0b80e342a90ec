// Slot drafts, which hold a slot for five minutes, or until they are deleted.
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { asSystem, type Db, inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { parseClockTime } from '@clinic/lib/formats/clock-time.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { isOfClinic } from '@clinic/lib/rpc/caller.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateSlotDraftRequest, type DeleteSlotDraftRequest, SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { claimSlot } from './claim-slot.ts';
import { lockDay } from './doctor-day.sql.ts';
import { deleteDraft, deleteExpiredDrafts, insertDraft, renewDraft, toProto } from './slot-drafts.sql.ts';
import { parseNeeds, resolveNeeds } from './slot-needs.ts';

const HOLD_MS = 5 * 60_000;

/** A user who repeats the request, for example after reloading a page, gets the same draft. */
export async function createSlotDraft(app: App, request: CreateSlotDraftRequest, call: Call) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  const wanted = {
    doctorId: parseUuid('doctorId', request.doctorId),
    date: parseLocalDate('appointmentDate', request.appointmentDate),
    startTime: parseClockTime('startTime', request.startTime),
    outsideHours: false,
  };
  const requested = parseNeeds(request);
  const userId = isOfClinic(call.caller) ? call.caller.id : null; // the bot acts for many patients
  return idempotent(app.db, call, SlotDraftService.method.createSlotDraft, request, async (tx) => {
    const held = {
      doctor_id: wanted.doctorId,
      appointment_date: wanted.date,
      start_time: `${wanted.startTime}:00`,
      expires_at: new Date(now.getTime() + HOLD_MS),
      type_id: requested.typeId,
      duration_minutes: requested.durationMinutes,
      resource_id: requested.resourceId,
    };
    const needs = await resolveNeeds(tx, wanted.doctorId, requested);
    const [, known] = await Promise.all([lockDay(tx, wanted.doctorId), userId && renewDraft(tx, held, userId, now)]);
    const { slot, resourceId } = await claimSlot(tx, clinic, { ...wanted, needs }, now, { draftId: known || undefined });
    const draft = { id: known || v7(), ...held, resource_id: resourceId };
    if (!known) await insertDraft(tx, draft, slot.hold, 'desk', userId);
    return toProto(draft, Boolean(known));
  });
}

export async function deleteSlotDraft(app: App, request: DeleteSlotDraftRequest, call: Call) {
  const clinic = clinicOf(call);
  const deleted = isUuid(request.id) && (await inTenant(app.db, clinic.id, (tx) => deleteDraft(tx, request.id, null)));
  return deleted ? { message: 'Slot released' } : fail('NOT_FOUND', 'Slot draft not found');
}

const DAY_MS = 24 * 3_600_000;
/** No draft of the desk lasts this long. */
const MAX_HOLD_MS = 15 * 60_000;

/** Deletes drafts a day after they expired, when they no longer hold a slot, and drafts that would last too long because the clock was set back. */
export const deleteExpiredDraftsJob = ({ db, clock }: { db: Db; clock: Clock }) =>
  job('delete-expired-drafts', { cron: '17 * * * *' }, async () => {
    // As the system: drafts of all clinics.
    const now = clock.now().getTime();
    await asSystem(db, (tx) => deleteExpiredDrafts(tx, new Date(now - DAY_MS), new Date(now + MAX_HOLD_MS)));
  });
