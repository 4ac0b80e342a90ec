// What cannot be sent to the tax authority does not delay what comes after it.
import { randomUUID } from 'node:crypto';
import { inTenant } from '@clinic/lib/db/db.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { INVOICE, NOW, startTaxOffice, type TaxOffice, UNAVAILABLE } from '../testing/tax-office.ts';
import { getReadyIssuer } from './get-issuer.ts';
import { issueDocument } from './issue-document.ts';

let office: TaxOffice;
beforeAll(async () => {
  office = await startTaxOffice();
});
afterAll(() => office.stop());
beforeEach(async () => {
  office.clock.set(NOW);
  await office.authority.mood('answers');
});

const MAX_SWEEPS = 60;
/** Sweeps until the document has the status; fails after MAX_SWEEPS. */
async function sweepUntil(id: string, status: string) {
  for (let sweeps = 0; sweeps < MAX_SWEEPS; sweeps++) {
    await office.sweep();
    const [document] = await office.query('select status from dte_documents where id = $1', [id]);
    if (document.status === status) return;
  }
  throw new Error(`no ${status} after ${MAX_SWEEPS} sweeps`);
}

const damage = (table: string, id: string) => office.query(`update ${table} set content_sealed = content_sealed || '\\x00' where id = $1`, [id]);

test('a document that cannot be read does not delay later documents of the clinic', async () => {
  const { id: clinicId } = await office.clinic();
  const payment = { condition: 'cash' as const, methods: [{ code: '01', amount: 113, reference: null }], term: null };
  const issue = async () =>
    inTenant(office.app.db, clinicId, async (tx) => {
      const item = { description: 'Consulta', quantity: 1, unitPrice: 113, discount: 0, kind: 'service' as const };
      const order = { receiver: null, items: [item], payment, notes: null, of: null };
      const document = { kind: '01' as const, order, pointOfSale: undefined, patientId: null, appointmentId: null, paymentId: null, relatedId: null };
      return issueDocument(office.app, tx, serviceCaller('billing', randomUUID()), await getReadyIssuer(office.app, tx), document);
    });
  const [first, second] = [await issue(), await issue()];
  await damage('dte_documents', first);
  office.clock.advance(20_000);
  await sweepUntil(second, 'processed');
  expect(await office.query('select status from dte_documents where id = $1', [first])).toEqual([{ status: 'pending' }]);
});

test('an invalidation that cannot be read does not delay later invalidations of the clinic', async () => {
  const { user } = await office.clinic();
  const [first, second] = [await office.documents.checkout(INVOICE, user()), await office.documents.checkout(INVOICE, user())];
  await office.authority.mood(UNAVAILABLE);
  for (const { id } of [first, second])
    await expect(office.documents.invalidateTaxDocument({ id, type: 2 }, user())).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  const [event] = await office.query('select id from dte_events where document_id = $1', [first.id]);
  await damage('dte_events', event.id);
  await office.authority.mood('answers');
  office.clock.advance(60_000);
  await sweepUntil(second.id, 'invalidated');
  expect((await office.documents.getTaxDocument({ id: first.id }, user())).status).toBe('processed');
});
