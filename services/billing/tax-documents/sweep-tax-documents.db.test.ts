// What cannot be sent to the tax authority does not delay what comes after it.
import { expect, test } from '@jest/globals';
import { UNAVAILABLE, useTaxOffice } from '../testing/tax-office.ts';
import { INVOICE } from '../testing/tax-orders.ts';

const office = await useTaxOffice();

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
  const [first, second] = [await office.issueOnly(clinicId), await office.issueOnly(clinicId)];
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
