// The dependencies of all handlers, consumers and jobs of dental.

import type { Clock } from '@clinic/lib/clock/clock.ts';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import type { Db } from '@clinic/lib/db/db.ts';
import type { Constraints } from '@clinic/lib/errors/errors.ts';
import type { Start } from '@clinic/lib/runtime/service.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { BotService } from '@clinic/proto/messaging/v1/bot_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { type Client, createClient } from '@connectrpc/connect';

export type App = {
  db: Db;
  clock: Clock;
  log: Log;
  constraints: Constraints;
  /** Keys that encrypt signatures. */
  keys: NamedKey[];
  /** Patients and appointments, which scheduling owns. */
  lookup: Client<typeof LookupService>;
  /** Name, address and logo of the clinic for documents. */
  clinicProfile: Client<typeof ClinicProfileService>;
  usageReports: Client<typeof UsageReportService>;
  /** Quiet hours of the clinic. */
  bot: Client<typeof BotService>;
};

export function createApp({ settings, db, clock, log, transportTo }: Start<unknown>): App {
  return {
    db,
    clock,
    log,
    constraints: { quote_acceptances_once: 'QUOTE_ACCEPTED' },
    keys: settings.ENCRYPTION_KEYS,
    lookup: createClient(LookupService, transportTo('scheduling')),
    clinicProfile: createClient(ClinicProfileService, transportTo('identity')),
    usageReports: createClient(UsageReportService, transportTo('identity')),
    bot: createClient(BotService, transportTo('messaging')),
  };
}
