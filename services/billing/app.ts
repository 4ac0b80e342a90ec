// What every handler and job of billing is given.
import type { Clock } from '@clinic/lib/clock.ts';
import type { NamedKey } from '@clinic/lib/config.ts';
import type { Db } from '@clinic/lib/db.ts';
import type { Constraints } from '@clinic/lib/errors.ts';
import type { Log } from '@clinic/lib/log.ts';
import type { SubscriptionService } from '@clinic/proto/identity/v1/subscription_pb.js';
import type { Client } from '@connectrpc/connect';
import type { Variants } from './subscriptions/variants-rules.ts';

export type App = {
  db: Db;
  clock: Clock;
  log: Log;
  constraints: Constraints;
  /** Key ring that seals the raw events. */
  keys: NamedKey[];
  variants: Variants;
  graceDays: number;
  /** Test events of the provider mean nothing there. */
  production: boolean;
  subscriptions: Client<typeof SubscriptionService>;
};

/** Stands for the clinic where a line of the audit log belongs to none. */
export const NO_CLINIC = '00000000-0000-0000-0000-000000000000';
