// Tax documents of all clinics, page by page, for services that rebuild a projection.
import { toKeysetPage } from '@clinic/lib/formats/page.ts';
import type { ListTaxDocumentStatesRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { listDocumentsOfAllClinics } from '../sql/find-documents.sql.ts';
import { toChangedEvent } from '../to-tax-document.ts';

export async function listTaxDocumentStates(app: Pick<App, 'db'>, request: ListTaxDocumentStatesRequest) {
  // As the system: over all clinics.
  const documents = await listDocumentsOfAllClinics(app.db, toKeysetPage(request, 5_000));
  return { documents: documents.map(toChangedEvent), clinicIds: documents.map(({ clinic_id }) => clinic_id) };
}
