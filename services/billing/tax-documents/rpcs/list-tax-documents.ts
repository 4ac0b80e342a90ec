// Documents of the clinic, newest first.
import { inTenant } from '@clinic/lib/db/db.ts';
import { parseDayRange } from '@clinic/lib/formats/local-date.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListTaxDocumentsRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { KINDS } from '../rules/kinds.ts';
import { STATUSES } from '../sql/documents.sql.ts';
import { listDocuments } from '../sql/find-documents.sql.ts';
import { remainingId } from '../sql/patient-merges.sql.ts';
import { toListedDocument } from '../to-tax-document.ts';

const TYPES = ['invoice', 'credit_fiscal', 'credit_note'] as const;

export async function listTaxDocuments(app: App, request: ListTaxDocumentsRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { id } = clinicOf(call);
  const { status, type, patientId, paymentId } = request;
  const { from = null, to = null } = parseDayRange(request.from || undefined, request.to || undefined);
  const filter = {
    from,
    to,
    status: status ? parseOneOf('status', status, STATUSES) : null,
    kind: type ? KINDS[parseOneOf('type', type, TYPES)] : null,
    patientId: patientId ? await remainingId(app.db, id, parseUuid('patientId', patientId)) : null,
    paymentId: paymentId ? parseUuid('paymentId', paymentId) : null,
    issued: request.issued ?? null,
    search: request.search.trim() || null,
  };
  const { documents, total } = await inTenant(app.db, id, (tx) => listDocuments(tx, app.keys, filter, limit, offset));
  return { documents: documents.map(toListedDocument), total, page, limit };
}
