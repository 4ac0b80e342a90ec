// Free slots, availability by month, and slot drafts.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import type { App } from '../app.ts';
import { listAvailability, listSlots } from './list-slots.ts';
import { createSlotDraft, deleteExpiredDraftsJob, deleteSlotDraft } from './slot-drafts.ts';

const OFFERS = 'select o.id from waitlist_offers o where o.clinic_id = $1';

export const slots: Module<App> = {
  rpcs: [rpcs(DoctorService, { listSlots, listAvailability }), rpcs(SlotDraftService, { createSlotDraft, deleteSlotDraft })],
  jobs: (app) => [deleteExpiredDraftsJob(app)],
  // Drafts of offers that the erasure has deleted before: an offer is locked before the draft of its slot, as everywhere.
  personal: [{ table: 'slot_drafts', ofPatient: `kind = 'offer' and id not in (${OFFERS})`, erase: 'delete' }],
};
