// Pages through the tax documents of all clinics, so that a neighbour can rebuild what it made of events. As the system: over all clinics.
import { readSystem } from '@clinic/lib/db/db.ts';
import type { ListTaxDocumentStatesRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { stateOf } from '../to-tax-document.ts';
import { pageDocumentsStatement } from '../sql/find-documents.sql.ts';

const FIRST = '00000000-0000-0000-0000-000000000000';
const MOST = 5_000;

export async function listTaxDocumentStates(app: Pick<App, 'db'>, { afterClinicId, afterId, limit }: ListTaxDocumentStatesRequest) {
  const page = [afterClinicId || FIRST, afterId || FIRST, Math.min(Math.max(limit, 1), MOST)];
  const documents = await readSystem(app.db, pageDocumentsStatement, page);
  return { documents: documents.map(stateOf), clinicIds: documents.map(({ clinic_id }) => clinic_id) };
}
