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
import { acceptDemoRequest } from './demo-requests/accept-demo-request.ts';
import { createDemoRequest } from './demo-requests/create-demo-request.ts';
import { getDemoInvitation } from './demo-requests/get-demo-invitation.ts';
import { listDemoRequests } from './demo-requests/list-demo-requests.ts';
import { rejectDemoRequest } from './demo-requests/reject-demo-request.ts';
import { createInviteCode } from './invite-codes/create-invite-code.ts';
import { listInviteCodes } from './invite-codes/list-invite-codes.ts';
import { redeemInviteCode } from './invite-codes/redeem-invite-code.ts';
import { releaseInviteCode } from './invite-codes/release-invite-code.ts';
import { reserveInviteCode } from './invite-codes/reserve-invite-code.ts';
import { revokeInviteCode } from './invite-codes/revoke-invite-code.ts';
import { listOperatorActions } from './operator-audit/list-operator-actions.ts';
import personal from './personal.ts';
import { getStats } from './statistics/get-stats.ts';
import { onAppointmentBooked } from './statistics/on-appointment-booked.ts';
import { onAppointmentStatusChanged } from './statistics/on-appointment-status-changed.ts';
import { onClinicRegistered } from './statistics/on-clinic-registered.ts';
import { onClinicUpdated } from './statistics/on-clinic-updated.ts';
import { onOrderChanged } from './statistics/on-order-changed.ts';

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
