// Issues a factura or a crédito fiscal: once for a key, then handed over.

import type { TenantTx } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CheckoutRequest, TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { finish } from '../await-handover.ts';
import { issue } from '../issue-document.ts';
import { readyIssuer } from '../get-issuer.ts';
import { orNull, readItems, readPayment, readReceiver } from '../parse-order.ts';
import type { Receiver } from '../rules/receiver.ts';
import { findTaxProfile } from '../sql/tax-profiles.sql.ts';

const KINDS = { invoice: '01', credit_fiscal: '03' } as const;

export async function checkout(app: App, request: CheckoutRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  const kind = KINDS[parseOneOf('type', request.type, ['invoice', 'credit_fiscal'])];
  const order = { items: readItems(request.items), payment: readPayment(request.payment), notes: orNull(request.notes), of: null };
  const paymentId = request.paymentId ? parseUuid('paymentId', request.paymentId) : null;
  const { patientId, appointmentId } = await refer(app, call, request);
  const { id = '' } = await idempotent(app.db, call, TaxDocumentService.method.checkout, request, async (tx) => {
    const ready = await readyIssuer(app, tx);
    const receiver = request.receiver ? readReceiver(request.receiver) : await receiverOf(app, tx, patientId);
    const asked = { kind, order: { ...order, receiver }, at: request.pointOfSale, patientId, appointmentId, paymentId, relatedId: null };
    return { id: await issue(app, tx, call.caller, ready, asked) };
  });
  return finish(app, call, clinicId, id);
}

/** Patient and appointment of the clinic; NOT_FOUND otherwise. */
async function refer(app: App, call: Call, { patientId, appointmentId }: CheckoutRequest) {
  const ids = {
    patientId: patientId ? parseUuid('patientId', patientId) : null,
    appointmentId: appointmentId ? parseUuid('appointmentId', appointmentId) : null,
  };
  if (ids.appointmentId !== null) {
    const appointment = await app.lookup.findAppointment({ id: ids.appointmentId }, callAs(call.caller));
    if (ids.patientId !== null && ids.patientId !== appointment.patientId) invalid('appointmentId', 'must be of the patient');
    return { ...ids, patientId: appointment.patientId };
  }
  if (ids.patientId !== null) await app.lookup.findPatient({ id: ids.patientId }, callAs(call.caller));
  return ids;
}

/** What was set for the patient; a patient without it is a consumer who is not named. */
async function receiverOf(app: App, tx: TenantTx, patientId: string | null): Promise<Receiver | null> {
  return patientId === null ? null : ((await findTaxProfile(tx, app.keys, patientId)) ?? null);
}
