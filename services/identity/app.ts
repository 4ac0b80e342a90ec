// What every handler of identity is given.
import type { Clock } from '@clinic/lib/clock.ts';
import type { NamedKey } from '@clinic/lib/config.ts';
import type { Db } from '@clinic/lib/db.ts';
import type { Constraints } from '@clinic/lib/errors.ts';
import type { Log } from '@clinic/lib/log.ts';
import type { AuditService } from '@clinic/proto/common/v1/audit_pb.js';
import type { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import type { InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import type { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { Client } from '@connectrpc/connect';
import type { AccessTokens } from './access/access-tokens.ts';
import type { Passwords } from './credentials/passwords.ts';

export type App = {
  db: Db;
  clock: Clock;
  log: Log;
  constraints: Constraints;
  /** Key ring that seals the successors of refresh tokens. */
  keys: NamedKey[];
  passwords: Passwords;
  accessTokens: AccessTokens;
  /** Where clients reach the gateway, without a slash at the end. */
  publicUrl: string;
  inviteCodes: Client<typeof InviteCodeService>;
  channels: Client<typeof ChannelService>;
  mail: Client<typeof MailService>;
  doctors: Client<typeof DoctorService>;
  /** The audit log of every service, this one's own included. */
  auditLogs: { service: string; log: Client<typeof AuditService> }[];
};
