import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { area } from './area.ts';
import { bookedTime, needs } from './schemas.ts';

const { method } = SlotDraftService;

export const slotDrafts = area({
  prefix: '/api/slot-drafts',
  tag: 'Slot drafts',
  about: 'Slots that are held for five minutes while a booking is completed.',
  all: { scope: 'appointments' },
  routes: [
    {
      method: 'post',
      path: '/api/slot-drafts',
      rpc: method.createSlotDraft,
      body: { ...bookedTime, ...needs },
      existing: 'existing',
      creates: true,
      notFound: 'Doctor not found',
      errors: ['SLOT_TAKEN', 'SLOT_UNAVAILABLE'],
      example: { doctorId: '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70', appointmentDate: '2026-08-03', startTime: '09:00' },
    },
    { method: 'delete', path: '/api/slot-drafts/:id', rpc: method.deleteSlotDraft, notFound: 'Slot draft not found' },
  ],
});
