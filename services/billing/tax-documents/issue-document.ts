// Makes a document of an order: numbered, built and stored in one transaction. Handing it over comes after the commit.
import { randomUUID } from 'node:crypto';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { invalid, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import type { Ready } from './get-issuer.ts';
import { Decimal } from './rules/amounts.ts';
import { amountsOf, type Order, orderFault, totalsFor, writeDocument } from './rules/order.ts';
import type { PointOfSale } from './rules/issuer.ts';
import { generationOn, type Kind } from './rules/kinds.ts';
import { controlNumber, generationCode } from './rules/document-numbers.ts';
import { momentOf } from './rules/deadlines.ts';
import { tell } from './to-tax-document.ts';
import { insertDocument } from './sql/documents.sql.ts';
import { nextNumber } from './sql/issuers.sql.ts';

export type Issue = {
  kind: Kind;
  order: Order;
  at: PointOfSale | undefined;
  patientId: string | null;
  appointmentId: string | null;
  paymentId: string | null;
  relatedId: string | null;
};

/** Returns the id of the new document. The number is taken last, so that others wait for it as short as can be. */
export async function issue(app: App, tx: TenantTx, caller: Caller, { issuer, points }: Ready, asked: Issue): Promise<string> {
  const { kind, order } = asked;
  const now = app.clock.now();
  const { day, time } = momentOf(now);
  const generation = generationOn(day, app.cutover);
  throwIfInvalid(orderFault(app.catalogs, { kind, generation }, issuer, order, new Decimal(app.receiverThreshold)));
  const at = pointAt(points, asked.at);
  const totals = totalsFor({ kind }, issuer, order);
  const { environment, nit } = issuer;
  const number = await nextNumber(tx, { environment, nit, kind, at, year: Number(day.slice(0, 4)) });
  const head = {
    kind,
    generation,
    environment,
    controlNumber: controlNumber(kind, at.establishment, at.code, number),
    code: generationCode(randomUUID()),
    day,
    time,
  };
  const document = writeDocument(app.catalogs, head, issuer, at, order, totals);
  const inserted = await insertDocument(tx, app.keys, {
    id: v7(),
    kind,
    generation,
    environment,
    nit,
    establishment: at.establishment,
    point_of_sale: at.code,
    number,
    control_number: head.controlNumber,
    code: head.code,
    issued_at: now,
    issued_on: day,
    patient_id: asked.patientId,
    appointment_id: asked.appointmentId,
    payment_id: asked.paymentId,
    related_id: asked.relatedId,
    ...amountsOf(totals),
    content: { order, document, jws: null, before: null },
    created_by: caller.id,
  });
  await tell(tx, caller, inserted, 'tax_document.issued');
  return inserted.id;
}

function pointAt(points: Ready['points'], asked: PointOfSale | undefined): PointOfSale {
  if (!asked) return points[0];
  return (
    points.find(({ establishment, code }) => establishment === asked.establishment && code === asked.code) ??
    invalid('pointOfSale', 'must be one of the issuer')
  );
}
