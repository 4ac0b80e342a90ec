// Stores whether the bot of a clinic is enabled, for the operators' list of clinics.
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicChannelUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import { setBotEnabled } from './clinic-settings.sql.ts';

export const onClinicChannelUpdated = subscribe('clinic-channel-updated', 'messaging', ClinicChannelUpdatedSchema, (tx, event, { clinicId }) =>
  setBotEnabled(tx, clinicId, event.botEnabled, event.revision),
);
