// What every RPC handler, consumer and job of billing is given.

import type { Clock } from '@clinic/lib/clock/clock.ts';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import type { Db } from '@clinic/lib/db/db.ts';
import type { Constraints } from '@clinic/lib/errors/errors.ts';
import type { Start } from '@clinic/lib/runtime/service.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import { SubscriptionService } from '@clinic/proto/identity/v1/subscription_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { type Client, createClient } from '@connectrpc/connect';
import type { Settings } from './settings.ts';
import type { Variants } from './subscriptions/variants-rules.ts';
import { type AuthorityClient, createAuthorityClient } from './tax-documents/authority/authority-client.ts';
import { type Sign, signLocally, signRemotely } from './tax-documents/authority/signer.ts';
import { loadCatalogs } from './tax-documents/load-catalogs.ts';
import type { Catalogs } from './tax-documents/rules/catalogs.ts';
import type { Deadlines } from './tax-documents/rules/deadlines.ts';

export type App = {
  db: Db;
  clock: Clock;
  log: Log;
  constraints: Constraints;
  /** Key ring that encrypts raw events, issuers, documents and profiles, and signs links. */
  keys: NamedKey[];

  variants: Variants;
  graceDays: number;
  /** In production, test events of the payment provider are ignored. */
  production: boolean;
  subscriptions: Client<typeof SubscriptionService>;
  usageReports: Client<typeof UsageReportService>;

  catalogs: Catalogs;
  authority: AuthorityClient;
  sign: Sign;
  /** First day of the current schemas, YYYY-MM-DD. */
  cutover: string;
  /** Amount from which a factura identifies its receiver. */
  receiverThreshold: number;
  deadlines: Deadlines;
  /** Days for which the links in mails are valid. */
  linkDays: number;
  /** Patients and appointments, in scheduling. */
  lookup: Client<typeof LookupService>;
  mail: Client<typeof MailService>;
  /** Begins the links in mails; without a slash at the end. */
  publicUrl: string;
};

export function createApp({ settings, db, clock, log, transportTo }: Start<Settings>): App {
  const { DTE_API_BASE_URL: baseUrl, DTE_SIGNER_URL: signer, DTE_TIMEOUT_MS: timeoutMs } = settings;
  return {
    db,
    clock,
    log,
    constraints: { dte_points_of_sale_once: 'DTE_POINT_OF_SALE_TAKEN' },
    keys: settings.ENCRYPTION_KEYS,
    variants: settings.PAYMENTS_VARIANTS,
    graceDays: settings.PAYMENTS_GRACE_DAYS,
    production: settings.NODE_ENV === 'production',
    subscriptions: createClient(SubscriptionService, transportTo('identity')),
    usageReports: createClient(UsageReportService, transportTo('identity')),
    catalogs: loadCatalogs(),
    authority: createAuthorityClient({ baseUrl, timeoutMs, clock, log }),
    sign: signer ? signRemotely(signer, timeoutMs) : signLocally,
    cutover: settings.DTE_CUTOVER,
    receiverThreshold: settings.DTE_RECEIVER_THRESHOLD,
    deadlines: {
      invoiceMonths: settings.DTE_INVALIDATION_MONTHS,
      businessDays: settings.DTE_INVALIDATION_BUSINESS_DAYS,
      correctionHours: settings.DTE_CORRECTION_HOURS,
    },
    linkDays: settings.DTE_LINK_DAYS,
    lookup: createClient(LookupService, transportTo('scheduling')),
    mail: createClient(MailService, transportTo('messaging')),
    publicUrl: settings.PUBLIC_URL,
  };
}

/** Clinic of audit log entries that belong to no clinic. */
export const NO_CLINIC = '00000000-0000-0000-0000-000000000000';
