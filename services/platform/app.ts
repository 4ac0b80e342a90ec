// The dependencies of platform's handlers and consumers.
import type { Start } from '@clinic/lib/runtime/service.ts';
import { StateService as BillingStateService } from '@clinic/proto/billing/v1/states_pb.js';
import { StateService as IdentityStateService } from '@clinic/proto/identity/v1/states_pb.js';
import { StateService as MessagingStateService } from '@clinic/proto/messaging/v1/states_pb.js';
import { createClient } from '@connectrpc/connect';

export type App = ReturnType<typeof createApp>;

export function createApp({ db, clock, log, transportTo }: Start<object>) {
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
