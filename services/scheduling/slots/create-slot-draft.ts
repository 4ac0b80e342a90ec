// Holds a slot for five minutes.
import { checkDate, checkTime, checkUuid } from '@clinic/lib/formats/check.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateSlotDraftRequest, SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { claimSlot } from './claim-slot.ts';
import { insertDraft, toProto } from './slot-drafts.sql.ts';

const HOLD_MS = 5 * 60_000;

export async function createSlotDraft(app: App, request: CreateSlotDraftRequest, call: Call) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  const wanted = {
    doctorId: checkUuid('doctorId', request.doctorId),
    date: checkDate('appointmentDate', request.appointmentDate),
    startTime: checkTime('startTime', request.startTime),
    outsideHours: false,
  };
  return idempotent(app.db, call, SlotDraftService.method.createSlotDraft, request, async (tx) => {
    const { slot } = await claimSlot(tx, clinic, wanted, now);
    const draft = {
      id: v7(),
      doctor_id: wanted.doctorId,
      appointment_date: wanted.date,
      start_time: `${slot.startTime}:00`,
      expires_at: new Date(now.getTime() + HOLD_MS),
    };
    await insertDraft(tx, draft, slot.hold);
    return toProto(draft);
  });
}
