// Tax documents as they are shown.
import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { audit } from '@clinic/lib/audit/audit.ts';
import type { AuditAction } from '@clinic/lib/audit/audit-actions.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { TaxDocumentSchema } from '@clinic/proto/billing/v1/dte_document_pb.js';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import type { App } from '../app.ts';
import { consultation } from './rules/consultation.ts';
import type { Kind } from './rules/kinds.ts';
import { type DocumentRow, openContent } from './sql/documents.sql.ts';

export const TYPES: Record<Kind, string> = { '01': 'invoice', '03': 'credit_fiscal', '05': 'credit_note' };

export const ENVIRONMENTS = { '00': 'test', '01': 'production' } as const;

/** Without its content, for lists. */
export function showRow(row: DocumentRow): MessageInitShape<typeof TaxDocumentSchema> {
  const optional = {
    selloRecibido: row.seal,
    patientId: row.patient_id,
    appointmentId: row.appointment_id,
    paymentId: row.payment_id,
    relatedDocumentId: row.related_id,
    processedAt: row.processed_at && timestampFromDate(row.processed_at),
    invalidatedAt: row.invalidated_at && timestampFromDate(row.invalidated_at),
  };
  return {
    id: row.id,
    type: TYPES[row.kind],
    status: row.status,
    numeroControl: row.control_number,
    codigoGeneracion: row.code,
    total: row.operation_cents,
    taxes: row.iva_cents,
    withheld: row.withheld_cents,
    toPay: row.to_pay_cents,
    pdfUrl: `/api/dte/documents/${row.id}.pdf`,
    qrUrl: consultation(row.environment, row.code, row.issued_on),
    observations: row.observations,
    createdAt: timestampFromDate(row.issued_at),
    environment: ENVIRONMENTS[row.environment],
    issuedOn: row.issued_on,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)),
  };
}

export function showDocument(app: App, clinicId: string, row: DocumentRow): MessageInitShape<typeof TaxDocumentSchema> {
  const { document, jws } = openContent(app.keys, clinicId, row);
  return { ...showRow(row), document: document as unknown as JsonObject, ...(jws !== null && { jws }) };
}

/** As events tell of it. */
export function stateOf(row: DocumentRow): MessageInitShape<typeof TaxDocumentChangedSchema> {
  return {
    documentId: row.id,
    type: TYPES[row.kind],
    status: row.status,
    issuedOn: row.issued_on,
    totalCents: row.operation_cents,
    taxCents: row.iva_cents,
    patientId: row.patient_id ?? '',
    relatedDocumentId: row.related_id ?? '',
    revision: row.revision,
    appointmentId: row.appointment_id ?? '',
    paymentId: row.payment_id ?? '',
  };
}

/** Tells of a change and writes it down. */
export async function tell(tx: TenantTx, caller: Caller, row: DocumentRow, action: AuditAction): Promise<void> {
  await emit(tx, tx.clinicId, TaxDocumentChangedSchema, stateOf(row));
  await audit(tx, tx.clinicId, caller, { action, entityId: row.id, changes: { status: row.status, number: row.control_number } });
}
