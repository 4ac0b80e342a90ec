// What every handler of scheduling is given.
import type { Clock } from '@clinic/lib/clock.ts';
import type { NamedKey } from '@clinic/lib/config.ts';
import type { Db } from '@clinic/lib/db.ts';
import type { Constraints } from '@clinic/lib/errors.ts';
import type { Log } from '@clinic/lib/log.ts';
import type { PriceService } from '@clinic/proto/dental/v1/price_pb.js';
import type { StateService } from '@clinic/proto/dental/v1/states_pb.js';
import type { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import type { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import type { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import type { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import type { Client } from '@connectrpc/connect';
import type { OnSlotFreed } from './appointments/slot-freed.ts';

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
