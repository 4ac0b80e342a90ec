// Free slots, availability by month, and slot drafts.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import type { App } from '../app.ts';
import { listAvailability, listSlots } from './list-slots.ts';
import { createSlotDraft, deleteExpiredDraftsJob, deleteSlotDraft } from './slot-drafts.ts';

export const slots: Module<App> = {
  rpcs: [rpcs(DoctorService, { listSlots, listAvailability }), rpcs(SlotDraftService, { createSlotDraft, deleteSlotDraft })],
  jobs: (app) => [deleteExpiredDraftsJob(app)],
  personal: [{ table: 'slot_drafts' }],
};
