// Platform's wiring.
import path from 'node:path';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import type { ServiceModule } from '@clinic/lib/service.ts';
import { InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import { StatsService } from '@clinic/proto/platform/v1/stats_pb.js';
import type { App } from './app.ts';
import { onAppointmentBooked } from './consumers/on-appointment-booked.ts';
import { onAppointmentStatusChanged } from './consumers/on-appointment-status-changed.ts';
import { onClinicRegistered } from './consumers/on-clinic-registered.ts';
import { onClinicUpdated } from './consumers/on-clinic-updated.ts';
import { createInviteCode } from './handlers/create-invite-code.ts';
import { getStats } from './handlers/get-stats.ts';
import { listInviteCodes } from './handlers/list-invite-codes.ts';
import { redeemInviteCode } from './handlers/redeem-invite-code.ts';
import { releaseInviteCode } from './handlers/release-invite-code.ts';
import { reserveInviteCode } from './handlers/reserve-invite-code.ts';
import { revokeInviteCode } from './handlers/revoke-invite-code.ts';

export default {
  name: 'platform',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings: {},
  neighbours: [],
  create({ db, clock, log }) {
    const app: App = { db, clock, log, constraints: {} };
    return {
      implementations: [
        implement(app, InviteCodeService, {
          createInviteCode,
          listInviteCodes,
          revokeInviteCode,
          reserveInviteCode,
          redeemInviteCode,
          releaseInviteCode,
        }),
        implement(app, StatsService, { getStats }),
      ],
      consumers: [onClinicRegistered, onClinicUpdated, onAppointmentBooked, onAppointmentStatusChanged],
      jobs: [],
    };
  },
} satisfies ServiceModule;
