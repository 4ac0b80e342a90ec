// Issued documents that are credited or invalidated.
import { randomUUID } from 'node:crypto';
import { inTenant } from '@clinic/lib/db/db.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { asAdmin, asUser } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { NOW, PASSWORD, randomNit, reason, UNAVAILABLE, useTaxOffice } from '../testing/tax-office.ts';
import { CREDIT, INVOICE, ISSUER } from '../testing/tax-orders.ts';
import type { Verdict } from './authority/authority-client.ts';
import { getReadyIssuer } from './get-issuer.ts';
import { sendInvalidation } from './send-invalidation.ts';
import { findPendingInvalidation } from './sql/authority-events.sql.ts';
import { lockDocument } from './sql/documents.sql.ts';

const office = await useTaxOffice();

const item = (unitPrice: number) => ({ description: 'Consulta', quantity: 1, unitPrice });
const DAY = 86_400_000;

describe('a nota de crédito', () => {
  test('credits a crédito fiscal or a part of it, and never more than its amount', async () => {
    const { user } = await office.clinic();
    const credit = await office.issueSealed(CREDIT, user());
    const part = await office.documents.createCreditNote({ id: credit.id, items: [item(40)] }, user());
    expect(part).toMatchObject({ type: 'credit_note', status: 'processed', total: 4520n, taxes: 520n, relatedDocumentId: credit.id });
    expect(part.numeroControl).toBe('DTE-05-M001P001-000000000000001');
    expect(part.document).toMatchObject({ documentoRelacionado: [{ numeroDocumento: credit.codigoGeneracion }] });
    const concurrent = await Promise.allSettled(
      Array.from({ length: 4 }, () => office.documents.createCreditNote({ id: credit.id, items: [item(25)] }, user())),
    );
    expect(concurrent.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await reason(office.documents.createCreditNote({ id: credit.id, items: [item(10.01)] }, user()))).toBe('VALIDATION_ERROR');
  });

  test('without items credits all that earlier ones have left, also when several are requested concurrently', async () => {
    const { user } = await office.clinic();
    const whole = await office.issueSealed(CREDIT, user());
    const all = await office.documents.createCreditNote({ id: whole.id }, user());
    expect(all).toMatchObject({ total: 11300n, document: { cuerpoDocumento: [{ descripcion: CREDIT.items[0]?.description }] } });
    const credit = await office.issueSealed(CREDIT, user());
    await office.documents.createCreditNote({ id: credit.id, items: [item(40)] }, user());
    const notes = await Promise.allSettled(Array.from({ length: 3 }, () => office.documents.createCreditNote({ id: credit.id }, user())));
    const issued = notes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(issued).toMatchObject([{ status: 'processed', total: 6780n, taxes: 780n }]);
    expect(notes.flatMap((one) => (one.status === 'rejected' ? [one.reason.reason] : []))).toEqual(['DTE_NOT_ALLOWED', 'DTE_NOT_ALLOWED']);
    await office.documents.invalidateTaxDocument({ id: issued[0]?.id ?? '', type: 2 }, user());
    expect(await office.documents.createCreditNote({ id: credit.id }, user())).toMatchObject({ total: 6780n });
  });

  test('that is corrected after its rejection stays within what others have left meanwhile', async () => {
    const { user } = await office.clinic();
    const credit = await office.issueSealed(CREDIT, user());
    await office.authority.mood('refuses');
    const rejected = await office.documents.createCreditNote({ id: credit.id, items: [item(60)] }, user()).catch((error) => error);
    const id = rejected.details.at(-1).message;
    await office.authority.mood('answers');
    await office.documents.createCreditNote({ id: credit.id, items: [item(70)] }, user());
    expect(await reason(office.documents.correctTaxDocument({ id }, user()))).toBe('VALIDATION_ERROR');
    expect(await office.documents.correctTaxDocument({ id, items: [item(30)] }, user())).toMatchObject({ status: 'processed', total: 3390n });
    expect(await reason(office.documents.createCreditNote({ id: credit.id }, user()))).toBe('DTE_NOT_ALLOWED');
  });

  test('is possible only for a sealed crédito fiscal', async () => {
    const { user } = await office.clinic();
    const invoice = await office.issueSealed(INVOICE, user());
    expect(await reason(office.documents.createCreditNote({ id: invoice.id }, user()))).toBe('DTE_NOT_ALLOWED');
    expect(await reason(office.documents.createCreditNote({ id: randomUUID() }, user()))).toBe('NOT_FOUND');
  });

  test('is issued at the first point of sale when the one of its crédito fiscal was removed', async () => {
    const { id: clinicId, nit, user } = await office.clinic();
    const { id } = await office.issueSealed(CREDIT, user());
    await office.issuers.setDteIssuer({ ...ISSUER, nit, pointsOfSale: [{ establishment: 'M001', code: 'P002' }] }, asAdmin(clinicId));
    const note = await office.documents.createCreditNote({ id }, user());
    expect(note).toMatchObject({ status: 'processed', numeroControl: 'DTE-05-M001P002-000000000000001' });
  });

  test('is in the environment of its crédito fiscal; the numbers of both begin at 1', async () => {
    const { id: clinicId, nit, user } = await office.clinic();
    const { id, numeroControl } = await office.issueSealed(CREDIT, user());
    await office.issuers.setDteIssuer({ ...ISSUER, nit, environment: 'production' }, asAdmin(clinicId));
    expect(await reason(office.documents.createCreditNote({ id }, user()))).toBe('DTE_NOT_ALLOWED');
    expect(await office.issueSealed(CREDIT, user())).toMatchObject({ environment: 'production', numeroControl });
  });

  test('with an idempotency key happens once', async () => {
    const { user } = await office.clinic();
    const { id } = await office.issueSealed(CREDIT, user());
    const key = randomUUID();
    const [first, second] = [await office.documents.createCreditNote({ id }, user(key)), await office.documents.createCreditNote({ id }, user(key))];
    expect(second.id).toBe(first.id);
  });

  test('has the current schema from the cut-over on', async () => {
    const { user } = await office.clinic();
    const { id } = await office.issueSealed(CREDIT, user());
    office.clock.set(new Date('2026-12-05T15:00:00Z'));
    expect(await office.documents.createCreditNote({ id }, user())).toMatchObject({ status: 'processed', document: { identificacion: { version: 4 } } });
  });
});

test('credit notes, corrections and invalidations that are invalid for every document are refused as invalid, before a missing document is', async () => {
  const user = asUser(randomUUID());
  const id = randomUUID();
  const person = { name: 'Luis Pérez', documentType: '99', documentNumber: '1' };
  const receiver = { name: 'Luis Pérez', documentType: '13', documentNumber: '000000000' };
  for (const [path, call] of [
    ['items', office.documents.createCreditNote({ id, items: [item(0)] }, user)],
    ['items', office.documents.correctTaxDocument({ id, items: [item(0)] }, user)],
    ['receiver.documentNumber', office.documents.correctTaxDocument({ id, receiver }, user)],
    ['requestedBy.documentType', office.documents.invalidateTaxDocument({ id, type: 2, requestedBy: person }, user)],
  ] as const)
    await expect(call).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
});

describe('an invalidation', () => {
  test('invalidates a document at the authority', async () => {
    const { user } = await office.clinic();
    const { id, codigoGeneracion } = await office.issueSealed(INVOICE, user());
    const invalidated = await office.documents.invalidateTaxDocument({ id, type: 2, reason: 'El paciente canceló' }, user());
    expect(invalidated).toMatchObject({ id, status: 'invalidated' });
    expect(invalidated.invalidatedAt).toBeDefined();
    expect((await office.authority.state()).documents.find(({ code }) => code === codigoGeneracion)?.isInvalid).toBe(true);
    expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('DTE_NOT_ALLOWED');
  });

  test('because of an error names the document that replaces it', async () => {
    const { user } = await office.clinic();
    const [wrong, right] = [await office.issueSealed(INVOICE, user()), await office.issueSealed(INVOICE, user())];
    const credit = await office.issueSealed(CREDIT, user());
    for (const replacementId of [undefined, wrong.id, credit.id, randomUUID()])
      expect(await reason(office.documents.invalidateTaxDocument({ id: wrong.id, type: 1, ...(replacementId && { replacementId }) }, user()))).toBe(
        'VALIDATION_ERROR',
      );
    expect(await reason(office.documents.invalidateTaxDocument({ id: wrong.id, type: 2, replacementId: right.id }, user()))).toBe('VALIDATION_ERROR');
    const requestedBy = { name: 'Luis Pérez', documentType: '13', documentNumber: '01234567-8' };
    const unknownType = { id: wrong.id, type: 1, replacementId: right.id, requestedBy: { ...requestedBy, documentType: '99' } };
    await expect(office.documents.invalidateTaxDocument(unknownType, user())).rejects.toMatchObject({
      reason: 'VALIDATION_ERROR',
      details: [{ path: 'requestedBy.documentType' }],
    });
    const invalidated = await office.documents.invalidateTaxDocument({ id: wrong.id, type: 1, replacementId: right.id, requestedBy }, user());
    expect(invalidated.status).toBe('invalidated');
  });

  test('of a crédito fiscal needs its notas de crédito to be invalidated first', async () => {
    const { user } = await office.clinic();
    const { id } = await office.issueSealed(CREDIT, user());
    const note = await office.documents.createCreditNote({ id, items: [item(10)] }, user());
    expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('DTE_NOT_ALLOWED');
    expect(await reason(office.documents.invalidateTaxDocument({ id: note.id, type: 1 }, user()))).toBe('VALIDATION_ERROR');
    office.clock.set(new Date('2026-12-02T15:00:00Z'));
    await office.documents.invalidateTaxDocument({ id: note.id, type: 1 }, user());
    expect((await office.documents.invalidateTaxDocument({ id, type: 2 }, user())).status).toBe('invalidated');
  });

  test('is possible until its deadline', async () => {
    const { user } = await office.clinic();
    const [invoice, credit] = [await office.issueSealed(INVOICE, user()), await office.issueSealed(CREDIT, user())];
    // The tenth business day of December 2026 is the 14th.
    office.clock.set(new Date('2026-12-15T05:59:00Z'));
    const second = await office.issueSealed(CREDIT, user());
    expect((await office.documents.invalidateTaxDocument({ id: credit.id, type: 2 }, user())).status).toBe('invalidated');
    office.clock.set(new Date(NOW.getTime() + 91 * DAY));
    expect((await office.documents.invalidateTaxDocument({ id: invoice.id, type: 2 }, user())).status).toBe('invalidated');
    expect(await reason(office.documents.invalidateTaxDocument({ id: second.id, type: 2 }, user()))).toBe('DTE_NOT_ALLOWED');
  });

  test('whose answer is lost is sent again unchanged', async () => {
    const { user } = await office.clinic();
    const { id } = await office.issueSealed(INVOICE, user());
    await office.authority.mood('lost', 1);
    expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('UNAVAILABLE');
    expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2, reason: 'Otro motivo' }, user()))).toBe('DTE_NOT_ALLOWED');
    expect((await office.documents.getTaxDocument({ id }, user())).status).toBe('processed');
    expect((await office.documents.invalidateTaxDocument({ id, type: 2 }, user())).status).toBe('invalidated');
  });

  test('that is pending is sent again only for a request that does not contradict it', async () => {
    const { user } = await office.clinic();
    const [wrong, right, other] = await Promise.all([1, 2, 3].map(() => office.issueSealed(INVOICE, user())));
    const requestedBy = { name: 'Luis Pérez', documentType: '13', documentNumber: '01234567-8' };
    const request = { id: wrong?.id ?? '', type: 1, replacementId: right?.id ?? '', requestedBy };
    await office.authority.mood(UNAVAILABLE);
    expect(await reason(office.documents.invalidateTaxDocument(request, user()))).toBe('UNAVAILABLE');
    for (const change of [
      { type: 3, reason: 'Otro motivo' },
      { replacementId: other?.id ?? '' },
      { replacementId: randomUUID() },
      { requestedBy: { ...requestedBy, name: 'Luisa Pérez' } },
      { requestedBy: { ...requestedBy, documentType: '37', documentNumber: '01234567-8' } },
      { requestedBy: { ...requestedBy, documentNumber: '98765432-6' } },
    ])
      expect([change, await reason(office.documents.invalidateTaxDocument({ ...request, ...change }, user()))]).toEqual([change, 'DTE_NOT_ALLOWED']);
    expect(await reason(office.documents.invalidateTaxDocument({ ...request, replacementId: 'no-uuid' }, user()))).toBe('VALIDATION_ERROR');
    await office.authority.mood('answers');
    const repeat = { ...request, requestedBy: { ...requestedBy, documentNumber: '012345678' } };
    expect(await office.documents.invalidateTaxDocument(repeat, user())).toMatchObject({ status: 'invalidated' });
  });

  test('that is requested several times at once happens once', async () => {
    const { user } = await office.clinic();
    const { id } = await office.issueSealed(INVOICE, user());
    const all = await Promise.all(Array.from({ length: 6 }, () => reason(office.documents.invalidateTaxDocument({ id, type: 2 }, user()))));
    expect(all).toContain('nothing');
    expect(await office.documents.getTaxDocument({ id }, user())).toMatchObject({ status: 'invalidated', observations: [] });
    expect(await office.query('select status from dte_events where document_id = $1', [id])).toEqual([{ status: 'accepted' }]);
  });

  /** Requests an invalidation while the authority is unavailable. Returns what sends its event. */
  async function requestInvalidation() {
    const { id: clinicId, user } = await office.clinic();
    const { id } = await office.issueSealed(INVOICE, user());
    await office.authority.mood(UNAVAILABLE);
    expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('UNAVAILABLE');
    const [ready, event] = await inTenant(office.app.db, clinicId, async (tx) => [await getReadyIssuer(office.app, tx), await findPendingInvalidation(tx, id)]);
    if (!event) throw new Error('there is no event');
    const send = (change: object) => sendInvalidation({ ...office.app, ...change }, clinicId, ready, event, serviceCaller('billing', randomUUID()), 1_000);
    return { id, user, send };
  }

  test('that cannot be signed is sent again', async () => {
    const { send } = await requestInvalidation();
    expect(await send({ sign: async () => Promise.reject(new Error('the signer did not answer')) })).toEqual({ kind: 'unknown' });
  });

  test.each([
    ['', []],
    [', and a later attempt is pending', ['rejected']],
  ])('that the authority accepts is valid, although it has rejected a duplicate of the same event before%s', async (_what, later) => {
    const { id, user, send } = await requestInvalidation();
    const answer = (verdict: Verdict) => send({ authority: { ...office.app.authority, invalidate: async () => verdict } });
    await answer({ kind: 'rejected', code: '010', observations: ['EL DOCUMENTO YA FUE INVALIDADO'] });
    const observations = ['Invalidación rechazada: EL DOCUMENTO YA FUE INVALIDADO'];
    expect(await office.documents.getTaxDocument({ id }, user())).toMatchObject({ status: 'processed', observations });
    if (later.length > 0) expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('UNAVAILABLE');
    await answer({ kind: 'accepted', seal: 'A'.repeat(40), code: '001', observations: [] });
    expect(await office.documents.getTaxDocument({ id }, user())).toMatchObject({ status: 'invalidated', observations: [] });
    const events = await office.query('select status, observations from dte_events where document_id = $1 order by created_at, id', [id]);
    expect(events).toEqual(['accepted', ...later].map((status) => ({ status, observations: [] })));
  });

  test('says that the authority refuses the password, and is sent once it is accepted', async () => {
    const { user } = await office.clinic();
    const { id } = await office.issueSealed(INVOICE, user());
    await office.authority.forgetTokens();
    await office.authority.mood('locked');
    const refused = { reason: 'DTE_NOT_CONFIGURED', message: expect.stringContaining('refuses user or password') };
    await expect(office.documents.invalidateTaxDocument({ id, type: 2 }, user())).rejects.toMatchObject(refused);
    const observations = ['Invalidación pendiente: El Ministerio de Hacienda no acepta el usuario o la contraseña del emisor'];
    expect(await office.documents.getTaxDocument({ id }, user())).toMatchObject({ status: 'processed', observations });
    await office.authority.mood('answers');
    office.clock.advance(60_000);
    await office.sweepUntil(id, 'invalidated');
  });

  test('names no replacement that is being invalidated itself', async () => {
    const { user } = await office.clinic();
    const [one, other] = [await office.issueSealed(INVOICE, user()), await office.issueSealed(INVOICE, user())];
    await office.authority.mood(UNAVAILABLE);
    expect(await reason(office.documents.invalidateTaxDocument({ id: one.id, type: 2 }, user()))).toBe('UNAVAILABLE');
    await expect(office.documents.invalidateTaxDocument({ id: other.id, type: 1, replacementId: one.id }, user())).rejects.toMatchObject({
      reason: 'VALIDATION_ERROR',
      details: [{ path: 'replacementId' }],
    });
  });

  test('that is not repeated is sent by a sweep', async () => {
    const { user } = await office.clinic();
    const { id } = await office.issueSealed(INVOICE, user());
    await office.authority.mood(UNAVAILABLE);
    expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('UNAVAILABLE');
    await office.authority.mood('answers');
    await office.sweep();
    const observations = ['Invalidación pendiente: sin respuesta todavía, se enviará de nuevo'];
    expect(await office.documents.getTaxDocument({ id }, user())).toMatchObject({ status: 'processed', observations }); // the call may still be in progress
    office.clock.advance(60_000);
    await office.sweepUntil(id, 'invalidated');
    expect((await office.documents.getTaxDocument({ id }, user())).observations).toEqual([]);
  });

  test('that is rejected when a sweep sends it leaves the observations in the document', async () => {
    const { nit, user } = await office.clinic();
    const { id } = await office.issueSealed(INVOICE, user());
    await office.authority.mood(UNAVAILABLE);
    expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('UNAVAILABLE');
    // The taxpayer has a new certificate, which the clinic has not set yet.
    await office.authority.certificate(nit, 'Otra-Clave-2');
    await office.authority.mood('answers');
    office.clock.advance(60_000);
    const observations = ['Invalidación rechazada: FIRMA NO VALIDA'];
    await waitFor(async () => {
      await office.sweep();
      return (await office.documents.getTaxDocument({ id }, user())).observations.some((one) => one.startsWith('Invalidación rechazada'));
    });
    expect(await office.documents.getTaxDocument({ id }, user())).toMatchObject({ status: 'processed', observations });
    await expect(office.documents.invalidateTaxDocument({ id, type: 2 }, user())).rejects.toMatchObject({ reason: 'DTE_REJECTED' });
    expect(await office.documents.getTaxDocument({ id }, user())).toMatchObject({ status: 'processed', observations });
  });
});

test('two documents are locked in the order of their ids, by an invalidation with a replacement and by the correction of a nota de crédito', async () => {
  const { user } = await office.clinic();
  const [first, second] = [await office.issueSealed(INVOICE, user()), await office.issueSealed(INVOICE, user())];
  const credit = await office.issueSealed(CREDIT, user());
  await office.authority.mood('refuses');
  const rejected = await office.documents.createCreditNote({ id: credit.id }, user()).catch((error) => error);
  const note = rejected.details.at(-1).message;
  await office.authority.mood('answers');
  const changes = [
    { before: first.id, after: second.id, change: () => office.documents.invalidateTaxDocument({ id: second.id, type: 1, replacementId: first.id }, user()) },
    { before: credit.id, after: note, change: () => office.documents.correctTaxDocument({ id: note }, user()) },
  ];
  const holder = new pg.Client({ connectionString: office.service.database.ownerUrl });
  await holder.connect();
  const unlocked: (number | null)[] = [];
  for (const { before, after, change } of changes) {
    await holder.query('begin');
    await holder.query('select from billing.dte_documents where id = $1 for update', [before]);
    const changed = change();
    await waitForLocked(office.service.database.ownerUrl, 1, '%from dte_documents%');
    unlocked.push((await holder.query('select from billing.dte_documents where id = $1 for update skip locked', [after])).rowCount);
    await holder.query('rollback');
    await changed;
  }
  await holder.end();
  expect(unlocked).toEqual([1, 1]);
});

test('an invalidation of a nota de crédito does not wait for a request that has locked the crédito fiscal', async () => {
  const { id, user } = await office.clinic();
  const credit = await office.issueSealed(CREDIT, user());
  const note = await office.documents.createCreditNote({ id: credit.id }, user());
  await inTenant(office.app.db, id, async (tx) => {
    await lockDocument(tx, credit.id);
    expect(await office.documents.invalidateTaxDocument({ id: note.id, type: 2 }, user())).toMatchObject({ status: 'invalidated' });
  });
});

test('documents of an earlier taxpayer of the clinic can neither be credited nor invalidated nor corrected', async () => {
  const { id: clinicId, user } = await office.clinic();
  const [credit, invoice] = [await office.issueSealed(CREDIT, user()), await office.issueSealed(INVOICE, user())];
  await office.authority.mood('refuses');
  const rejected = await office.documents.checkout(INVOICE, user()).catch((error) => error);
  await office.authority.mood('answers');
  const nit = randomNit();
  await office.issuers.setDteIssuer({ ...ISSUER, nit }, asAdmin(clinicId));
  await office.issuers.setDteCertificate({ certificate: await office.authority.certificate(nit), password: PASSWORD }, asAdmin(clinicId));
  const refused = { reason: 'DTE_NOT_ALLOWED', message: expect.stringContaining('another taxpayer') };
  await expect(office.documents.createCreditNote({ id: credit.id }, user())).rejects.toMatchObject(refused);
  await expect(office.documents.invalidateTaxDocument({ id: invoice.id, type: 2 }, user())).rejects.toMatchObject(refused);
  await expect(office.documents.correctTaxDocument({ id: rejected.details.at(-1).message }, user())).rejects.toMatchObject(refused);
});
