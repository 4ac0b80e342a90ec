import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { storageJob, toIdentity } from '@clinic/lib/usage/storage.ts';
import { TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import { DteIssuerService } from '@clinic/proto/billing/v1/dte_issuer_pb.js';
import { DteReceiverService } from '@clinic/proto/billing/v1/dte_receiver_pb.js';
import type { App } from '../app.ts';
import { ENCRYPTED_COLUMNS } from './encrypted-columns.ts';
import { followMergesJob } from './follow-merges.ts';
import { handOverTaxDocument } from './hand-over.ts';
import { mailTaxDocument } from './mail-tax-document.ts';
import { onPatientsMerged, onPatientsUnmerged } from './patient-merges.ts';
import { checkout } from './rpcs/checkout.ts';
import { correctTaxDocument } from './rpcs/correct-tax-document.ts';
import { createCreditNote } from './rpcs/create-credit-note.ts';
import { getDteIssuer } from './rpcs/get-dte-issuer.ts';
import { getTaxBook } from './rpcs/get-tax-book.ts';
import { getTaxDocument, getTaxDocumentJson, getTaxDocumentPdf } from './rpcs/get-tax-document.ts';
import { invalidateTaxDocument } from './rpcs/invalidate-tax-document.ts';
import { listDteCatalog } from './rpcs/list-dte-catalog.ts';
import { listTaxDocumentStates } from './rpcs/list-tax-document-states.ts';
import { listTaxDocuments } from './rpcs/list-tax-documents.ts';
import { openTaxDocument } from './rpcs/open-tax-document.ts';
import { revokeTaxDocumentLinks } from './rpcs/revoke-tax-document-links.ts';
import { sendTaxDocument } from './rpcs/send-tax-document.ts';
import { setDteCertificate } from './rpcs/set-dte-certificate.ts';
import { setDteIssuer } from './rpcs/set-dte-issuer.ts';
import { getTaxProfile, setTaxProfile } from './rpcs/tax-profile.ts';
import { sweepTaxDocuments } from './sweep-tax-documents.ts';

const TAX_LAW = 'the tax law requires that tax documents are retained for ten years; they stay encrypted';
const OF_DOCUMENT = 'document_id in (select d.id from dte_documents d where d.clinic_id = $1 and d.patient_id = any($ids))';

export const taxDocuments: Module<App> = {
  rpcs: [
    rpcs(DteIssuerService, { getDteIssuer, setDteIssuer, setDteCertificate }),
    rpcs(DteReceiverService, { getTaxProfile, setTaxProfile, listDteCatalog }),
    rpcs(TaxDocumentService, {
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
      revokeTaxDocumentLinks,
      getTaxBook,
    }),
  ],
  consumers: (app) => [onPatientsMerged(app), onPatientsUnmerged(app)],
  jobs: (app) => [
    handOverTaxDocument(app),
    mailTaxDocument(app),
    sweepTaxDocuments(app),
    followMergesJob(app),
    storageJob(app.db, ['dte_documents.content_sealed', 'dte_events.content_sealed'], toIdentity('billing', app.usageReports)),
  ],
  personal: [
    { table: 'dte_tax_profiles', ofPatient: 'patient_id = any($ids)', erase: 'delete' },
    { table: 'dte_receiver_words', ofPatient: OF_DOCUMENT, erase: 'delete' },
    { table: 'dte_patient_merges', ofPatient: 'kept_id = any($ids) or merged_id = any($ids)', erase: 'delete' },
    { table: 'dte_events', ofPatient: OF_DOCUMENT, withClinic: 'keep', why: TAX_LAW },
    { table: 'dte_documents', ofPatient: 'patient_id = any($ids)', withClinic: 'keep', why: TAX_LAW },
    // A number must never be used twice, and a retained document needs its issuer.
    { table: 'dte_points_of_sale', withClinic: 'keep', why: TAX_LAW },
    { table: 'dte_counters', withClinic: 'keep', why: TAX_LAW },
    { table: 'dte_link_revocations', withClinic: 'keep', why: 'a revoked link must stay invalid' },
    {
      table: 'dte_issuers',
      withClinic: { provider_sealed: 'null', signing_sealed: 'null' },
      secret: ['provider_sealed', 'signing_sealed'],
    },
  ],
  encrypted: ENCRYPTED_COLUMNS,
};
