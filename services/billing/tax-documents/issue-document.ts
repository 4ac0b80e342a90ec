// Issues a document for an order: numbers, builds and stores it in the caller's transaction. The caller hands it over after the commit.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { invalid, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import type { ReadyIssuer } from './get-issuer.ts';
import { continueAfterKill } from './hand-over.ts';
import { Decimal } from './rules/amounts.ts';
import { buildDocument } from './rules/build-document.ts';
import { localMoment } from './rules/deadlines.ts';
import { controlNumber, generationCode } from './rules/document-numbers.ts';
import type { PointOfSale } from './rules/issuer.ts';
import { generationOn, type Kind } from './rules/kinds.ts';
import { type Order, orderFault, toAmountColumns, totalsFor } from './rules/order.ts';
import { insertDocument } from './sql/documents.sql.ts';
import { takeNumber } from './sql/issuers.sql.ts';
import { publishChange } from './to-tax-document.ts';

type NewDocument = {
  kind: Kind;
  order: Order;
  /** Absent means the issuer's first point of sale. */
  pointOfSale: PointOfSale | undefined;
  patientId: string | null;
  appointmentId: string | null;
  paymentId: string | null;
  relatedId: string | null;
};

/** Returns the id of the new document. The caller has called lockIssuerKey(). The number is taken late, because its counter is locked until the commit. */
export async function issueDocument(app: App, tx: TenantTx, caller: Caller, { issuer, points }: ReadyIssuer, request: NewDocument): Promise<string> {
  const { kind, order } = request;
  const now = app.clock.now();
  const { day, time } = localMoment(now);
  const generation = generationOn(day, app.cutover);
  throwIfInvalid(orderFault(app.catalogs, { kind, generation }, issuer, order, new Decimal(app.receiverThreshold)));
  const pointOfSale = choosePointOfSale(points, request.pointOfSale);
  const { establishment } = pointOfSale;
  const totals = totalsFor({ kind }, issuer, order);
  const { environment, nit } = issuer;
  const number = await takeNumber(tx, { environment, nit, kind, pointOfSale, year: Number(day.slice(0, 4)) });
  const head = {
    kind,
    generation,
    environment,
    controlNumber: controlNumber(kind, establishment, pointOfSale.code, number),
    code: generationCode(),
    day,
    time,
  };
  const inserted = await insertDocument(tx, app.keys, {
    id: v7(),
    kind,
    generation,
    environment,
    nit,
    establishment,
    point_of_sale: pointOfSale.code,
    number,
    control_number: head.controlNumber,
    code: head.code,
    issued_at: now,
    issued_on: day,
    patient_id: request.patientId,
    appointment_id: request.appointmentId,
    payment_id: request.paymentId,
    related_id: request.relatedId,
    ...toAmountColumns(totals),
    content: { order, document: buildDocument(app.catalogs, head, issuer, pointOfSale, order, totals), jws: null, before: null },
    created_by: caller.id,
  });
  await publishChange(tx, caller, inserted, 'tax_document.issued');
  await continueAfterKill(tx, inserted.id);
  return inserted.id;
}

function choosePointOfSale(points: ReadyIssuer['points'], requested: PointOfSale | undefined): PointOfSale {
  if (!requested) return points[0];
  return (
    points.find(({ establishment, code }) => establishment === requested.establishment && code === requested.code) ??
    invalid('pointOfSale', 'must be a point of sale of the issuer')
  );
}
