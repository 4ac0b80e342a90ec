// What every handler, consumer and job of billing is given.

import type { NamedKey } from '@clinic/lib/config/config.ts';
import type { Db } from '@clinic/lib/db/db.ts';
import type { Constraints } from '@clinic/lib/errors/errors.ts';
import type { Clock } from '@clinic/lib/runtime/clock.ts';
import type { Start } from '@clinic/lib/runtime/service.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { SubscriptionService } from '@clinic/proto/identity/v1/subscription_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { type Client, createClient } from '@connectrpc/connect';
import type { Settings } from './settings.ts';
import type { Variants } from './subscriptions/variants-rules.ts';
import { type Authority, authorityAt } from './tax-documents/authority/authority-client.ts';
import { type Sign, signAt, signHere } from './tax-documents/authority/signer.ts';
import { readCatalogs } from './tax-documents/load-catalogs.ts';
import type { Catalogs } from './tax-documents/rules/catalogs.ts';
import type { Windows } from './tax-documents/rules/deadlines.ts';

export type App = {
  db: Db;
  clock: Clock;
  log: Log;
  constraints: Constraints;
  /** Key ring that encrypts raw events, issuers, documents and profiles, and signs links. */
  keys: NamedKey[];

  variants: Variants;
  graceDays: number;
  /** Test events of the payment provider mean nothing there. */
  production: boolean;
  subscriptions: Client<typeof SubscriptionService>;

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

export function createApp({ settings, db, clock, log, transportTo: neighbour }: Start<Settings>): App {
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
    subscriptions: createClient(SubscriptionService, neighbour('identity')),
    catalogs: readCatalogs(),
    authority: authorityAt({ baseUrl, timeoutMs, clock, log }),
    sign: signer ? signAt(signer, timeoutMs) : signHere,
    cutover: settings.DTE_CUTOVER,
    receiverThreshold: settings.DTE_RECEIVER_THRESHOLD,
    windows: {
      invoiceMonths: settings.DTE_INVALIDATION_MONTHS,
      businessDays: settings.DTE_INVALIDATION_BUSINESS_DAYS,
      correctionHours: settings.DTE_CORRECTION_HOURS,
    },
    lookup: createClient(LookupService, neighbour('scheduling')),
    mail: createClient(MailService, neighbour('messaging')),
    publicUrl: settings.PUBLIC_URL,
  };
}

/** Stands for the clinic where a line of the audit log belongs to none. */
export const NO_CLINIC = '00000000-0000-0000-0000-000000000000';
