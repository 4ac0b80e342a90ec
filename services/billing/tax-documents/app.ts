// What every handler and job of the tax documents is given.
import type { Clock } from '@clinic/lib/clock.ts';
import type { NamedKey } from '@clinic/lib/config.ts';
import type { Db } from '@clinic/lib/db.ts';
import type { Constraints } from '@clinic/lib/errors.ts';
import type { Log } from '@clinic/lib/log.ts';
import type { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import type { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { Client } from '@connectrpc/connect';
import type { Authority } from './provider/authority.ts';
import type { Sign } from './provider/sign.ts';
import type { Catalogs } from './rules/catalogs.ts';
import type { Windows } from './rules/windows.ts';

export type DteApp = {
  db: Db;
  clock: Clock;
  log: Log;
  constraints: Constraints;
  /** Key ring that seals issuers, documents and profiles, and signs links. */
  keys: NamedKey[];
  catalogs: Catalogs;
  authority: Authority;
  sign: Sign;
  /** YYYY-MM-DD, the first day of the schemas of 2026. */
  cutover: string;
  /** From this amount on a factura names its receiver. */
  receiverThreshold: number;
  windows: Windows;
  /** Patients and appointments, which belong to scheduling. */
  lookup: Client<typeof LookupService>;
  mail: Client<typeof MailService>;
  /** Links in mails begin with it; no slash at the end. */
  publicUrl: string;
};
