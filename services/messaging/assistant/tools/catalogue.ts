// The list of all tools.
import { figures, peakHours } from './analytics.ts';
import { agenda, appointments } from './appointments.ts';
import { commissions } from './commissions.ts';
import { faq } from './faq.ts';
import { freeSlots } from './free-slots.ts';
import { findPatients, patient } from './patients.ts';
import { payments, treatmentPlans } from './plans.ts';
import { proposeBooking, proposeCancel, proposeMessage, proposeMove } from './proposals.ts';
import { recall } from './recall.ts';
import type { Tool } from './tool.ts';
import { waitingChats } from './waiting-chats.ts';
import { waitlist } from './waitlist.ts';

export const TOOLS: readonly Tool[] = [
  agenda,
  appointments,
  freeSlots,
  findPatients,
  patient,
  treatmentPlans,
  payments,
  recall,
  figures,
  peakHours,
  commissions,
  waitlist,
  waitingChats,
  faq,
  proposeBooking,
  proposeMove,
  proposeCancel,
  proposeMessage,
];
