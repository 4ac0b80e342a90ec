// What every handler of scheduling receives.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import type { Constraints } from '@clinic/lib/errors/errors.ts';
import { openObjectStore } from '@clinic/lib/objects/objects.ts';
import type { Start } from '@clinic/lib/runtime/service.ts';
import { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import { OpeningBalanceService } from '@clinic/proto/dental/v1/opening_balance_pb.js';
import { PriceService } from '@clinic/proto/dental/v1/price_pb.js';
import { StateService } from '@clinic/proto/dental/v1/states_pb.js';
import { TimelineService as DentalTimelineService } from '@clinic/proto/dental/v1/timeline_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { BookingCodeService } from '@clinic/proto/messaging/v1/booking_code_pb.js';
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { TimelineService as MessagingTimelineService } from '@clinic/proto/messaging/v1/timeline_pb.js';
import { createClient } from '@connectrpc/connect';
import type { Settings } from './settings.ts';
import { offerFreedSlot } from './waitlist/offer-slots.ts';

export type App = ReturnType<typeof createApp>;

export function createApp({ settings, db, clock, log, transportTo }: Start<Settings>) {
  const keys: NamedKey[] = settings.ENCRYPTION_KEYS;
  return {
    db,
    clock,
    log,
    constraints: {
      appointments_no_overlap: 'SLOT_TAKEN',
      appointments_resource_no_overlap: 'SLOT_TAKEN',
      appointment_types_name_unique: 'APPOINTMENT_TYPE_EXISTS',
      resources_name_unique: 'RESOURCE_EXISTS',
      appointments_idempotency_key_unique: 'IDEMPOTENCY_KEY_REUSED',
      patients_phone_unique: 'PHONE_TAKEN',
    } satisfies Constraints,
    /** Encryption keys, the first of which encrypts. */
    keys,
    /** The contents of patients' files. */
    files: openObjectStore(settings, log),
    /** ClamAV's daemon; undefined: files are not checked. */
    virusScanner: settings.CLAMAV_ADDRESS,
    /** The public URL of the API, without a slash at the end. */
    publicUrl: settings.PUBLIC_URL,
    /** The current state of clinics, for work without a user, such as calendar feeds, mails and public pages. */
    access: createClient(AccessService, transportTo('identity')),
    /** For mails, and the author of a prescription. */
    users: createClient(UserService, transportTo('identity')),
    usageReports: createClient(UsageReportService, transportTo('identity')),
    /** Name, address, logo and currency of the clinic, for documents and mails. */
    profile: createClient(ClinicProfileService, transportTo('identity')),
    mail: createClient(MailService, transportTo('messaging')),
    /** The state of the clinic's chat number. */
    channel: createClient(ChannelService, transportTo('messaging')),
    /** Sends the codes of online bookings. */
    bookingCodes: createClient(BookingCodeService, transportTo('messaging')),
    /** Payment plans, treatment plans and procedures of dental. */
    plans: createClient(StateService, transportTo('dental')),
    prices: createClient(PriceService, transportTo('dental')),
    openingBalances: createClient(OpeningBalanceService, transportTo('dental')),
    /** What other services contribute to the timeline of a patient. */
    dentalTimeline: createClient(DentalTimelineService, transportTo('dental')),
    messagingTimeline: createClient(MessagingTimelineService, transportTo('messaging')),
    /** The waitlist's offer of a slot that became free. Passed here because the appointments module does not import the waitlist. */
    onSlotFreed: offerFreedSlot,
  };
}
