// The dependencies of all handlers, consumers and jobs of billing.
import type { Constraints } from '@clinic/lib/errors/errors.ts';
import type { Start } from '@clinic/lib/runtime/service.ts';
import { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import { LookupService as DentalLookupService } from '@clinic/proto/dental/v1/lookup_pb.js';
import { SubscriptionService } from '@clinic/proto/identity/v1/subscription_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { createClient } from '@connectrpc/connect';
import type { Settings } from './settings.ts';
import { createAuthorityClient } from './tax-documents/authority/authority-client.ts';
import { signLocally, signRemotely } from './tax-documents/authority/signer.ts';
import { loadCatalogs } from './tax-documents/load-catalogs.ts';
import type { Catalogs } from './tax-documents/rules/catalogs.ts';

const constraints: Constraints = { dte_points_of_sale_once: 'DTE_POINT_OF_SALE_TAKEN' };

export type App = ReturnType<typeof createApp>;

export function createApp({ settings, db, clock, log, transportTo }: Start<Settings>) {
  const { DTE_API_BASE_URL: baseUrl, DTE_SIGNER_URL: signer, DTE_TIMEOUT_MS: timeoutMs } = settings;
  let catalogs: Catalogs | undefined;
  return {
    db,
    clock,
    log,
    constraints,
    /** Key ring that encrypts raw events, issuers, documents and profiles, and signs links. */
    keys: settings.ENCRYPTION_KEYS,

    variants: settings.PAYMENTS_VARIANTS,
    graceDays: settings.PAYMENTS_GRACE_DAYS,
    /** In production, test events of the payment provider are ignored. */
    production: settings.NODE_ENV === 'production',
    subscriptions: createClient(SubscriptionService, transportTo('identity')),
    usageReports: createClient(UsageReportService, transportTo('identity')),

    /** Loaded at first use: many clinics issue no tax documents. */
    get catalogs(): Catalogs {
      catalogs ??= loadCatalogs();
      return catalogs;
    },
    authority: createAuthorityClient({ baseUrl, timeoutMs, clock, log }),
    sign: signer ? signRemotely(signer, timeoutMs) : signLocally,
    /** First day of the current schemas, YYYY-MM-DD. */
    cutover: settings.DTE_CUTOVER,
    /** Amount from which a factura must identify its receiver. */
    receiverThreshold: settings.DTE_RECEIVER_THRESHOLD,
    deadlines: {
      invoiceMonths: settings.DTE_INVALIDATION_MONTHS,
      businessDays: settings.DTE_INVALIDATION_BUSINESS_DAYS,
      correctionHours: settings.DTE_CORRECTION_HOURS,
    },
    /** Days for which the links in mails are valid. */
    linkDays: settings.DTE_LINK_DAYS,
    /** Patients and appointments, which scheduling owns. */
    lookup: createClient(LookupService, transportTo('scheduling')),
    /** Payments, which dental owns. */
    payments: createClient(DentalLookupService, transportTo('dental')),
    mail: createClient(MailService, transportTo('messaging')),
    /** Base URL of the links in mails, without a trailing slash. */
    publicUrl: settings.PUBLIC_URL,
  };
}
