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
import type { DteApp } from './app.ts';
import { handOverTaxDocument } from './hand-over-tax-document.ts';
import { mailTaxDocument } from './mail-tax-document.ts';
import { onPatientsMerged } from './on-patients-merged.ts';
import { onPatientsUnmerged } from './on-patients-unmerged.ts';
import { authorityAt } from './provider/authority.ts';
import { signAt, signHere } from './provider/sign.ts';
import { readCatalogs } from './read-catalogs.ts';
import { checkout } from './rpcs/checkout.ts';
import { correctTaxDocument } from './rpcs/correct-tax-document.ts';
import { createCreditNote } from './rpcs/create-credit-note.ts';
import { getDteIssuer } from './rpcs/get-dte-issuer.ts';
import { getTaxBook } from './rpcs/get-tax-book.ts';
import { getTaxDocument } from './rpcs/get-tax-document.ts';
import { getTaxDocumentJson } from './rpcs/get-tax-document-json.ts';
import { getTaxDocumentPdf } from './rpcs/get-tax-document-pdf.ts';
import { getTaxProfile } from './rpcs/get-tax-profile.ts';
import { invalidateTaxDocument } from './rpcs/invalidate-tax-document.ts';
import { listDteCatalog } from './rpcs/list-dte-catalog.ts';
import { listTaxDocumentStates } from './rpcs/list-tax-document-states.ts';
import { listTaxDocuments } from './rpcs/list-tax-documents.ts';
import { openTaxDocument } from './rpcs/open-tax-document.ts';
import { sendTaxDocument } from './rpcs/send-tax-document.ts';
import { setDteCertificate } from './rpcs/set-dte-certificate.ts';
import { setDteIssuer } from './rpcs/set-dte-issuer.ts';
import { setTaxProfile } from './rpcs/set-tax-profile.ts';
import type { dteSettings } from './settings.ts';
import { sweepTaxDocuments } from './sweep-tax-documents.ts';

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
