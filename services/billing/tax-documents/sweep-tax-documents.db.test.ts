// What cannot be sent to the tax authority does not delay what comes after it.
import { randomUUID } from 'node:crypto';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { UNAVAILABLE, useTaxOffice } from '../testing/tax-office.ts';
import { INVOICE } from '../testing/tax-orders.ts';
import { assignEvent, observeContingency } from './sql/unsettled-documents.sql.ts';

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

test('the documents of a contingency are locked in the order of their ids', async () => {
  const { id: clinicId } = await office.clinic();
  const eventId = randomUUID();
  const [first, second] = [await office.issueOnly(clinicId), await office.issueOnly(clinicId)];
  // The first document is stored after the second one.
  for (const id of [second, first])
    await office.query(`update dte_documents set status = 'contingency', contingency_event_id = $2 where id = $1`, [id, eventId]);
  const holder = new pg.Client({ connectionString: office.service.database.ownerUrl });
  await holder.connect();
  const unlocked: (number | null)[] = [];
  const changes = [
    (tx: TenantTx) => assignEvent(tx, eventId, [second, first]),
    (tx: TenantTx) => observeContingency(tx, eventId, ['El evento no tiene respuesta']),
  ];
  for (const change of changes) {
    await holder.query('begin');
    await holder.query('select from billing.dte_documents where id = $1 for update', [first]);
    const changed = inTenant(office.app.db, clinicId, change);
    await waitForLocked(office.service.database.ownerUrl, 1, '%update dte_documents%');
    unlocked.push((await holder.query('select from billing.dte_documents where id = $1 for update skip locked', [second])).rowCount);
    await holder.query('rollback');
    await changed;
  }
  await holder.end();
  expect(unlocked).toEqual([1, 1]);
});
