// The dependencies of all handlers, consumers and jobs of dental.
import type { Constraints } from '@clinic/lib/errors/errors.ts';
import type { Start } from '@clinic/lib/runtime/service.ts';
import { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { BotService } from '@clinic/proto/messaging/v1/bot_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { createClient } from '@connectrpc/connect';

const constraints: Constraints = { quote_acceptances_once: 'QUOTE_ACCEPTED' };

export type App = ReturnType<typeof createApp>;

export function createApp({ settings, db, clock, log, transportTo }: Start<unknown>) {
  return {
    db,
    clock,
    log,
    constraints,
    /** Keys that encrypt signatures. */
    keys: settings.ENCRYPTION_KEYS,
    /** Patients and appointments, which scheduling owns. */
    lookup: createClient(LookupService, transportTo('scheduling')),
    /** Name, address and logo of the clinic for documents. */
    clinicProfile: createClient(ClinicProfileService, transportTo('identity')),
    usageReports: createClient(UsageReportService, transportTo('identity')),
    /** Quiet hours of the clinic. */
    bot: createClient(BotService, transportTo('messaging')),
  };
}
