// What every handler of scheduling is given.

import type { NamedKey } from '@clinic/lib/config/config.ts';
import type { Db } from '@clinic/lib/db/db.ts';
import type { Constraints } from '@clinic/lib/errors/errors.ts';
import type { Clock } from '@clinic/lib/runtime/clock.ts';
import type { Start } from '@clinic/lib/runtime/service.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { PriceService } from '@clinic/proto/dental/v1/price_pb.js';
import { StateService } from '@clinic/proto/dental/v1/states_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { type Client, createClient } from '@connectrpc/connect';
import type { OnSlotFreed } from './appointments/slot-freed.ts';
import type { SchedulingSettings } from './settings.ts';
import { offerFreed } from './waitlist/offer-slots.ts';

export type App = {
  db: Db;
  clock: Clock;
  log: Log;
  constraints: Constraints;
  /** Key ring that seals national ids. */
  keys: NamedKey[];
  /** Where clients reach the service, without a slash at the end. */
  publicUrl: string;
  /** What identity knows of clinics and users, for what happens without a session. */
  access: Client<typeof AccessService>;
  users: Client<typeof UserService>;
  /** The clinic's name at the head of a page. */
  profile: Client<typeof ClinicProfileService>;
  /** Mail goes out through messaging. */
  mail: Client<typeof MailService>;
  /** Plans and procedures belong to dental. */
  plans: Client<typeof StateService>;
  prices: Client<typeof PriceService>;
  /** Appointments do not know the waitlist, which offers the slot that one of them frees. */
  onSlotFreed: OnSlotFreed;
};

export function createApp({ settings, db, clock, log, transportTo: neighbour }: Start<SchedulingSettings>): App {
  return {
    db,
    clock,
    log,
    constraints: {
      appointments_no_overlap: 'SLOT_TAKEN',
      appointments_idempotency_key_unique: 'IDEMPOTENCY_KEY_REUSED',
      patients_phone_unique: 'PHONE_TAKEN',
    },
    keys: settings.ENCRYPTION_KEYS,
    publicUrl: settings.PUBLIC_URL,
    access: createClient(AccessService, neighbour('identity')),
    users: createClient(UserService, neighbour('identity')),
    profile: createClient(ClinicProfileService, neighbour('identity')),
    mail: createClient(MailService, neighbour('messaging')),
    plans: createClient(StateService, neighbour('dental')),
    prices: createClient(PriceService, neighbour('dental')),
    onSlotFreed: offerFreed,
  };
}
