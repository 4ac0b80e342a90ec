// The dependencies of platform's handlers and consumers.

import type { Clock } from '@clinic/lib/clock/clock.ts';
import type { Db } from '@clinic/lib/db/db.ts';
import type { Constraints } from '@clinic/lib/errors/errors.ts';
import type { Start } from '@clinic/lib/runtime/service.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { StateService as BillingStateService } from '@clinic/proto/billing/v1/states_pb.js';
import { StateService as IdentityStateService } from '@clinic/proto/identity/v1/states_pb.js';
import { StateService as MessagingStateService } from '@clinic/proto/messaging/v1/states_pb.js';
import { type Client, createClient } from '@connectrpc/connect';

export type App = {
  db: Db;
  clock: Clock;
  log: Log;
  constraints: Constraints;
  identity: Client<typeof IdentityStateService>;
  billing: Client<typeof BillingStateService>;
  messaging: Client<typeof MessagingStateService>;
};

export function createApp({ db, clock, log, transportTo }: Start<object>): App {
  return {
    db,
    clock,
    log,
    constraints: {},
    identity: createClient(IdentityStateService, transportTo('identity')),
    billing: createClient(BillingStateService, transportTo('billing')),
    messaging: createClient(MessagingStateService, transportTo('messaging')),
  };
}

/** The clinic of records that belong to the platform itself, for example in the audit log. */
export const NO_CLINIC = '00000000-0000-0000-0000-000000000000';
