// Issues a factura or a crédito fiscal, once per idempotency key, and hands it over to the tax authority.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, invalid, ServiceError, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { idempotent, settled } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CheckoutRequest, TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { awaitHandover } from '../await-handover.ts';
import { getReadyIssuer } from '../get-issuer.ts';
import { issueDocument } from '../issue-document.ts';
import { orNull, parseItems, parsePayment, parseReceiver } from '../parse-order.ts';
import type { Fault } from '../rules/address.ts';
import { Decimal } from '../rules/amounts.ts';
import { localMoment } from '../rules/deadlines.ts';
import { generationOn, KINDS, type Kind } from '../rules/kinds.ts';
import { type Order, orderFault, partsFault } from '../rules/order.ts';
import type { Receiver } from '../rules/receiver.ts';
import { lockIssuerKey } from '../sql/issuers.sql.ts';
import { findTaxProfile, toReceiver } from '../sql/tax-profiles.sql.ts';

export async function checkout(app: App, request: CheckoutRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  const kind = KINDS[parseOneOf('type', request.type, ['invoice', 'credit_fiscal'])];
  const order = { items: parseItems(request.items), payment: parsePayment(request.payment), notes: orNull(request.notes), of: null };
  const requested = request.receiver ? parseReceiver(request.receiver) : request.patientId || request.appointmentId ? undefined : null;
  const fault = requestFault(app, kind, order, requested);
  const getReferences = await settled(findReferences(app, call, request));
  const { id = '' } = await idempotent(app.db, call, TaxDocumentService.method.checkout, request, async (tx) => {
    throwIfInvalid(fault);
    const { patient, appointmentId, paymentId } = getReferences();
    await lockIssuerKey(tx);
    const receiver = requested ?? (patient && (await getReceiver(app, tx, patient)));
    const { pointOfSale } = request;
    const document = { kind, order: { ...order, receiver }, pointOfSale, patientId: patient?.id ?? null, appointmentId, paymentId, relatedId: null };
    return { id: await issueDocument(app, tx, call.caller, await getReadyIssuer(app, tx), document) };
  });
  return awaitHandover(app, call, clinicId, id);
}

/**
 * What is wrong with an order whoever its issuer is, and if `receiver` is undefined, whoever the patient is. Only when a large taxpayer receives the
 * document does the amount to pay depend on the issuer.
 */
function requestFault(app: App, kind: Kind, order: Omit<Order, 'receiver'>, receiver: Receiver | null | undefined): Fault | undefined {
  if (receiver === undefined || receiver?.isLargeTaxpayer) return partsFault(app.catalogs, { ...order, receiver }, kind);
  const generation = generationOn(localMoment(app.clock.now()).day, app.cutover);
  return orderFault(app.catalogs, { kind, generation }, { isLargeTaxpayer: false }, { ...order, receiver }, new Decimal(app.receiverThreshold));
}

type Patient = { id: string; fullName: string; guardianId?: string | undefined };
type References = { patient: Patient | null; appointmentId: string | null; paymentId: string | null };

/** Whether a record of one patient may appear on a document for another: it is the same patient, or a dependant. */
const isOrDependsOn = (one: Patient, other: Patient) => one.id === other.id || one.guardianId === other.id;

/**
 * The records of other services that the request names; without a patient, that of the appointment. Called before the transaction begins, so that
 * none stays open across an RPC. Throws NOT_FOUND, with the field in its details, for a record that the clinic does not have.
 */
async function findReferences(app: App, call: Call, request: CheckoutRequest): Promise<References> {
  const requestedId = request.patientId ? parseUuid('patientId', request.patientId) : null;
  const appointmentId = request.appointmentId ? parseUuid('appointmentId', request.appointmentId) : null;
  const paymentId = request.paymentId ? parseUuid('paymentId', request.paymentId) : null;
  const options = callAs(call.caller);
  const appointment = appointmentId === null ? null : await nameField('appointmentId', app.lookup.findAppointment({ id: appointmentId }, options));
  const patientId = requestedId ?? appointment?.patientId ?? null;
  const [patient, payment] = await Promise.all([
    patientId === null ? null : nameField(requestedId ? 'patientId' : 'appointmentId', app.lookup.findPatient({ id: patientId, toChange: true }, options)),
    paymentId === null ? null : nameField('paymentId', app.payments.findPayment({ id: paymentId }, options)),
  ]);
  if (payment?.voidedAt) invalid('paymentId', 'must not be a voided payment');
  if (patient) {
    // Dental may not have followed a merge yet. A dental service of the previous release names no patient.
    const findOwner = async (path: string, id: string = patient.id): Promise<Patient> =>
      id === patient.id ? patient : nameField(path, app.lookup.findPatient({ id, followMerge: true }, options));
    const [seen, paying] = await Promise.all([findOwner('appointmentId', appointment?.patientId), findOwner('paymentId', payment?.patientId)]);
    if (!isOrDependsOn(seen, patient)) invalid('appointmentId', 'must be an appointment of the patient or of a dependant');
    if (!isOrDependsOn(paying, patient) && !isOrDependsOn(patient, paying))
      invalid('paymentId', 'must be a payment of the patient, a dependant or the guardian');
  }
  return { patient, appointmentId, paymentId };
}

/** Adds the field of the request to NOT_FOUND. */
async function nameField<T>(path: string, lookup: Promise<T>): Promise<T> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'NOT_FOUND') fail('NOT_FOUND', error.message, [{ path, message: error.message }]);
    throw error;
  }
}

/** The tax profile of the patient; without one, a receiver with only the patient's name. */
async function getReceiver(app: App, tx: TenantTx, patient: Patient): Promise<Receiver> {
  const profile = await findTaxProfile(tx, app.keys, patient.id);
  return profile ? toReceiver(profile, patient) : parseReceiver({ isLargeTaxpayer: false }, patient.fullName);
}
