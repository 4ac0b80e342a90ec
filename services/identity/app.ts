// The dependencies of identity's handlers, consumers and jobs.
import { auditRpc } from '@clinic/lib/audit/audit-rpc.ts';
import type { Clock } from '@clinic/lib/clock/clock.ts';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import type { Db } from '@clinic/lib/db/db.ts';
import type { Constraints } from '@clinic/lib/errors/errors.ts';
import { transportFrom } from '@clinic/lib/rpc/context.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import type { Start } from '@clinic/lib/runtime/service.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { AuditService } from '@clinic/proto/common/v1/audit_pb.js';
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { PatientFileService } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import { type Client, createClient } from '@connectrpc/connect';
import { type AccessTokens, createAccessTokens } from './access/access-tokens.ts';
import { createBreachCheck, type RequireUnbreached } from './credentials/breached-passwords.ts';
import { createPasswords, type Passwords } from './credentials/passwords.ts';
import { dependencies, type Settings } from './settings.ts';

export type App = {
  db: Db;
  clock: Clock;
  log: Log;
  constraints: Constraints;
  /** Encryption keys, the first of which encrypts. */
  keys: NamedKey[];
  passwords: Passwords;
  requireUnbreached: RequireUnbreached;
  accessTokens: AccessTokens;
  /** Public URL of the gateway, without a trailing slash. */
  publicUrl: string;
  inviteCodes: Client<typeof InviteCodeService>;
  channels: Client<typeof ChannelService>;
  mail: Client<typeof MailService>;
  doctors: Client<typeof DoctorService>;
  /** How many bytes of patient files a clinic stores. */
  files: Client<typeof PatientFileService>;
  /** The audit logs of all services, including this one. */
  auditLogs: { service: string; log: Client<typeof AuditService> }[];
};

export async function createApp({ settings, db, clock, log, transportTo }: Start<Settings>): Promise<App> {
  return {
    db,
    clock,
    log,
    constraints: { users_email_unique: 'EMAIL_TAKEN', clinics_invite_code_unique: 'INVALID_INVITE_CODE', integration_keys_name_unique: 'KEY_EXISTS' },
    keys: settings.ENCRYPTION_KEYS,
    passwords: await createPasswords(),
    requireUnbreached: createBreachCheck(settings.BREACHED_PASSWORDS_URL, log),
    accessTokens: createAccessTokens(settings.JWT_PRIVATE_KEYS),
    publicUrl: settings.PUBLIC_URL,
    inviteCodes: createClient(InviteCodeService, transportTo('platform')),
    channels: createClient(ChannelService, transportTo('messaging')),
    mail: createClient(MailService, transportTo('messaging')),
    doctors: createClient(DoctorService, transportTo('scheduling')),
    files: createClient(PatientFileService, transportTo('scheduling')),
    auditLogs: [
      { service: 'identity', log: createClient(AuditService, transportFrom('identity', localTransport([auditRpc({ db, log })]))) },
      ...dependencies.map((service) => ({ service, log: createClient(AuditService, transportTo(service)) })),
    ],
  };
}
