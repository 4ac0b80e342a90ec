// What every handler of platform is given.
import type { Clock } from '@clinic/lib/clock.ts';
import type { Db } from '@clinic/lib/db.ts';
import type { Constraints } from '@clinic/lib/errors.ts';
import type { Log } from '@clinic/lib/log.ts';
import type { StateService as BillingStateService } from '@clinic/proto/billing/v1/states_pb.js';
import type { StateService as IdentityStateService } from '@clinic/proto/identity/v1/states_pb.js';
import type { Client } from '@connectrpc/connect';

export type App = {
  db: Db;
  clock: Clock;
  log: Log;
  constraints: Constraints;
  identity: Client<typeof IdentityStateService>;
  billing: Client<typeof BillingStateService>;
};

/** Stands for the clinic where a record, such as a line of the audit log, belongs to the platform itself. */
export const NO_CLINIC = '00000000-0000-0000-0000-000000000000';
