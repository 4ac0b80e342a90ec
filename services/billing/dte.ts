// The wiring of the tax documents.
import type { Clock } from '@clinic/lib/clock.ts';
import type { NamedKey } from '@clinic/lib/config.ts';
import type { Db } from '@clinic/lib/db.ts';
import type { Log } from '@clinic/lib/log.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import { TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import { DteIssuerService } from '@clinic/proto/billing/v1/dte_issuer_pb.js';
import { DteReceiverService } from '@clinic/proto/billing/v1/dte_receiver_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { createClient, type Transport } from '@connectrpc/connect';
import type { z } from 'zod';
import { onPatientsMerged } from './consumers/on-patients-merged.ts';
import { onPatientsUnmerged } from './consumers/on-patients-unmerged.ts';
import type { DteApp } from './dte/app.ts';
import type { dteSettings } from './dte-settings.ts';
import { checkout } from './handlers/dte/checkout.ts';
import { correctTaxDocument } from './handlers/dte/correct-tax-document.ts';
import { createCreditNote } from './handlers/dte/create-credit-note.ts';
import { getDteIssuer } from './handlers/dte/get-dte-issuer.ts';
import { getTaxBook } from './handlers/dte/get-tax-book.ts';
import { getTaxDocument } from './handlers/dte/get-tax-document.ts';
import { getTaxDocumentJson } from './handlers/dte/get-tax-document-json.ts';
import { getTaxDocumentPdf } from './handlers/dte/get-tax-document-pdf.ts';
import { getTaxProfile } from './handlers/dte/get-tax-profile.ts';
import { invalidateTaxDocument } from './handlers/dte/invalidate-tax-document.ts';
import { listDteCatalog } from './handlers/dte/list-dte-catalog.ts';
import { listTaxDocumentStates } from './handlers/dte/list-tax-document-states.ts';
import { listTaxDocuments } from './handlers/dte/list-tax-documents.ts';
import { openTaxDocument } from './handlers/dte/open-tax-document.ts';
import { sendTaxDocument } from './handlers/dte/send-tax-document.ts';
import { setDteCertificate } from './handlers/dte/set-dte-certificate.ts';
import { setDteIssuer } from './handlers/dte/set-dte-issuer.ts';
import { setTaxProfile } from './handlers/dte/set-tax-profile.ts';
import { handOverTaxDocument } from './jobs/dte/hand-over-tax-document.ts';
import { mailTaxDocument } from './jobs/dte/mail-tax-document.ts';
import { sweepTaxDocuments } from './jobs/dte/sweep-tax-documents.ts';
import { authorityAt } from './providers/dte/authority.ts';
import { readCatalogs } from './providers/dte/catalogs.ts';
import { signAt, signHere } from './providers/dte/sign.ts';

export type DteStart = {
  settings: z.infer<z.ZodObject<typeof dteSettings>>;
  keys: NamedKey[];
  db: Db;
  clock: Clock;
  log: Log;
  neighbour: (service: string) => Transport;
};

export function dteApp({ settings, keys, db, clock, log, neighbour }: DteStart): DteApp {
  const { DTE_API_BASE_URL: baseUrl, DTE_SIGNER_URL: signer, DTE_TIMEOUT_MS: timeoutMs } = settings;
  return {
    db,
    clock,
    log,
    constraints: { dte_points_of_sale_once: 'DTE_POINT_OF_SALE_TAKEN' },
    keys,
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

export function dte(start: DteStart) {
  const app = dteApp(start);
  return {
    implementations: [
      implement(app, DteIssuerService, { getDteIssuer, setDteIssuer, setDteCertificate }),
      implement(app, DteReceiverService, { getTaxProfile, setTaxProfile, listDteCatalog }),
      implement(app, TaxDocumentService, {
        checkout,
        listTaxDocuments,
        listTaxDocumentStates,
        getTaxDocument,
        getTaxDocumentJson,
        getTaxDocumentPdf,
        openTaxDocument,
        correctTaxDocument,
        invalidateTaxDocument,
        createCreditNote,
        sendTaxDocument,
        getTaxBook,
      }),
    ],
    consumers: [onPatientsMerged(app), onPatientsUnmerged(app)],
    jobs: [handOverTaxDocument(app), mailTaxDocument(app), sweepTaxDocuments(app)],
  };
}
