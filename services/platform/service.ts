// Platform's wiring.
import path from 'node:path';
import { dataSubjectRpc } from '@clinic/lib/data-subject.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import type { ServiceModule } from '@clinic/lib/service.ts';
import { StateService as BillingStateService } from '@clinic/proto/billing/v1/states_pb.js';
import { StateService as IdentityStateService } from '@clinic/proto/identity/v1/states_pb.js';
import { DemoRequestService } from '@clinic/proto/platform/v1/demo_request_pb.js';
import { InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import { OperatorAuditService } from '@clinic/proto/platform/v1/operator_audit_pb.js';
import { StatsService } from '@clinic/proto/platform/v1/stats_pb.js';
import { createClient } from '@connectrpc/connect';
import type { App } from './app.ts';
import { onAppointmentBooked } from './consumers/on-appointment-booked.ts';
import { onAppointmentStatusChanged } from './consumers/on-appointment-status-changed.ts';
import { onClinicRegistered } from './consumers/on-clinic-registered.ts';
import { onClinicUpdated } from './consumers/on-clinic-updated.ts';
import { onOrderChanged } from './consumers/on-order-changed.ts';
import { acceptDemoRequest } from './handlers/accept-demo-request.ts';
import { createDemoRequest } from './handlers/create-demo-request.ts';
import { createInviteCode } from './handlers/create-invite-code.ts';
import { getDemoInvitation } from './handlers/get-demo-invitation.ts';
import { getStats } from './handlers/get-stats.ts';
import { listDemoRequests } from './handlers/list-demo-requests.ts';
import { listInviteCodes } from './handlers/list-invite-codes.ts';
import { listOperatorActions } from './handlers/list-operator-actions.ts';
import { redeemInviteCode } from './handlers/redeem-invite-code.ts';
import { rejectDemoRequest } from './handlers/reject-demo-request.ts';
import { releaseInviteCode } from './handlers/release-invite-code.ts';
import { reserveInviteCode } from './handlers/reserve-invite-code.ts';
import { revokeInviteCode } from './handlers/revoke-invite-code.ts';
import personal from './personal.ts';

export default {
  name: 'platform',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings: {},
  neighbours: ['identity', 'billing'],
  personal,
  create({ settings, db, clock, log, neighbour }) {
    const app: App = {
      db,
      clock,
      log,
      constraints: {},
      identity: createClient(IdentityStateService, neighbour('identity')),
      billing: createClient(BillingStateService, neighbour('billing')),
    };
    return {
      implementations: [
        dataSubjectRpc({ db, log, keys: settings.ENCRYPTION_KEYS, personal }),
        implement(app, InviteCodeService, {
          createInviteCode,
          listInviteCodes,
          revokeInviteCode,
          reserveInviteCode,
          redeemInviteCode,
          releaseInviteCode,
        }),
        implement(app, DemoRequestService, { createDemoRequest, listDemoRequests, acceptDemoRequest, rejectDemoRequest, getDemoInvitation }),
        implement(app, StatsService, { getStats }),
        implement(app, OperatorAuditService, { listOperatorActions }),
      ],
      consumers: [onClinicRegistered, onClinicUpdated, onAppointmentBooked, onAppointmentStatusChanged, onOrderChanged],
      jobs: [],
    };
  },
} satisfies ServiceModule;
