// Documents of the clinic, newest first.

import { inTenant } from '@clinic/lib/db/db.ts';
import { checkDate, checkOneOf, checkPage, checkUuid } from '@clinic/lib/formats/check.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListTaxDocumentsRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { showRow } from '../show-document.ts';
import { listDocuments } from '../sql/find-documents.sql.ts';

const KINDS: Record<string, string> = { invoice: '01', credit_fiscal: '03', credit_note: '05' };
const STATUSES = ['pending', 'processed', 'rejected', 'contingency', 'invalidated'];

export async function listTaxDocuments(app: App, request: ListTaxDocumentsRequest, call: Call) {
  const { page, limit, offset } = checkPage(request, 50, 500);
  const { from, to, status, type, patientId } = request;
  const filter = {
    from: from ? checkDate('from', from) : null,
    to: to ? checkDate('to', to) : null,
    status: status ? checkOneOf('status', status, STATUSES) : null,
    kind: type ? (KINDS[checkOneOf('type', type, Object.keys(KINDS))] ?? null) : null,
    patientId: patientId ? checkUuid('patientId', patientId) : null,
    search: request.search.trim() || null,
  };
  const { documents, total } = await inTenant(app.db, clinicOf(call).id, (tx) => listDocuments(tx, app.keys, filter, limit, offset));
  return { documents: documents.map(showRow), total, page, limit };
}
