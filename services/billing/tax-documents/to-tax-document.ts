// Tax documents as the API returns them and as events publish them.
import type { JsonObject } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { audit } from '@clinic/lib/audit/audit.ts';
import type { AuditAction } from '@clinic/lib/audit/audit-actions.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import type { App } from '../app.ts';
import { consultationUrl } from './rules/document-numbers.ts';
import { NAME_OF_ENVIRONMENT, TYPE_OF_KIND } from './rules/kinds.ts';
import { type DocumentRow, decryptContent, type ListedRow } from './sql/documents.sql.ts';

/** For lists: without the content. */
export function toListedDocument(row: ListedRow) {
  return {
    ...toFields(row),
    type: TYPE_OF_KIND[row.kind],
    numeroControl: row.control_number,
    codigoGeneracion: row.code,
    selloRecibido: row.seal ?? undefined,
    total: row.operation_cents,
    taxes: row.iva_cents,
    withheld: row.withheld_cents,
    toPay: row.to_pay_cents,
    pdfUrl: `/api/dte/documents/${row.id}.pdf`,
    qrUrl: consultationUrl(row.environment, row.code, row.issued_on),
    relatedDocumentId: row.related_id ?? undefined,
    createdAt: timestampFromDate(row.issued_at),
    environment: NAME_OF_ENVIRONMENT[row.environment],
  };
}

export function toTaxDocument(app: App, clinicId: string, row: DocumentRow) {
  const { document, jws } = decryptContent(app.keys, clinicId, row);
  return { ...toListedDocument(row), document: document as unknown as JsonObject, ...(jws !== null && { jws }) };
}

export function toChangedEvent(row: ListedRow) {
  return {
    ...toFields(row),
    documentId: row.id,
    type: TYPE_OF_KIND[row.kind],
    totalCents: row.operation_cents,
    taxCents: row.iva_cents,
    patientId: row.patient_id ?? '',
    relatedDocumentId: row.related_id ?? '',
    appointmentId: row.appointment_id ?? '',
    paymentId: row.payment_id ?? '',
  };
}

/** Publishes a change of a document and adds it to the audit log. */
export async function publishChange(tx: TenantTx, caller: Caller, row: ListedRow, action: AuditAction): Promise<void> {
  await emit(tx, tx.clinicId, TaxDocumentChangedSchema, toChangedEvent(row));
  await audit(tx, tx.clinicId, caller, { action, entityId: row.id, changes: { status: row.status, number: row.control_number } });
}
