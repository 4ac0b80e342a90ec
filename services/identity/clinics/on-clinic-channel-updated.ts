// Whether a clinic's bot answers, for the operators' list.
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicChannelUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import { setBotEnabled } from './clinic-settings.sql.ts';

export const onClinicChannelUpdated = subscribe('clinic-channel-updated', 'messaging', ClinicChannelUpdatedSchema, (tx, event, { clinicId }) =>
  setBotEnabled(tx, clinicId, event.botEnabled, event.revision),
);
