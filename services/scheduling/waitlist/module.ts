// The waitlist: patients who want an earlier appointment, and the slots offered to them.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import type { App } from '../app.ts';
import { acceptOffer } from './accept-offer.ts';
import { expireOfferJob, sweepWaitlistJob } from './expire-offers.ts';
import { joinWaitlist } from './join-waitlist.ts';
import { leaveWaitlist, listWaitlist } from './manage-entries.ts';
import { declineOffer, startOffer } from './manage-offers.ts';
import { onOfferUnsent } from './on-offer-unsent.ts';

const ENTRIES = 'select w.id from waitlist_entries w where w.clinic_id = $1 and w.patient_id = any($ids)';

export const waitlist: Module<App> = {
  rpcs: [rpcs(WaitlistService, { joinWaitlist, listWaitlist, leaveWaitlist, acceptOffer, startOffer, declineOffer })],
  consumers: (app) => [onOfferUnsent(app)],
  jobs: (app) => [expireOfferJob(app), sweepWaitlistJob(app)],
  personal: [
    { table: 'waitlist_offers', ofPatient: `entry_id in (${ENTRIES})`, erase: 'delete' },
    { table: 'waitlist_entries', ofPatient: 'patient_id = any($ids)', erase: 'delete' },
  ],
};
