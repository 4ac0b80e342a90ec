// Issued documents: notas de crédito, invalidations, files, mails, lists and books.
import { createHmac, hkdfSync, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { create, toJson } from '@bufbuild/protobuf';
import type { Consumer } from '@clinic/lib/events/events.ts';
import { asAdmin, asAnonymous, asService } from '@clinic/lib/testing/callers.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { textOfPdf } from '@clinic/lib/testing/pdf-text.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CREDIT, INVOICE, ISSUER, NOW, PASSWORD, PATIENT, randomNit, startTaxOffice, TAXPAYER, type TaxOffice, UNAVAILABLE } from '../testing/tax-office.ts';
import { onPatientsMerged, onPatientsUnmerged } from './patient-merges.ts';

let office: TaxOffice;
beforeAll(async () => {
  office = await startTaxOffice();
});
afterAll(() => office.stop());
beforeEach(async () => {
  office.clock.set(NOW);
  await office.authority.mood('answers');
});

const reason = (sent: Promise<unknown>) =>
  sent.then(
    () => 'nothing',
    (error: { reason: string }) => error.reason,
  );
const item = (unitPrice: number) => ({ description: 'Consulta', quantity: 1, unitPrice });
const DAY = 86_400_000;

describe('a nota de crédito', () => {
  test('credits a crédito fiscal or a part of it, and never more than its amount', async () => {
    const { user } = await office.clinic();
    const credit = await office.documents.checkout(CREDIT, user());
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
    const whole = await office.documents.checkout(CREDIT, user());
    const all = await office.documents.createCreditNote({ id: whole.id }, user());
    expect(all).toMatchObject({ total: 11300n, document: { cuerpoDocumento: [{ descripcion: CREDIT.items[0]?.description }] } });
    const credit = await office.documents.checkout(CREDIT, user());
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
    const credit = await office.documents.checkout(CREDIT, user());
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
    const invoice = await office.documents.checkout(INVOICE, user());
    expect(await reason(office.documents.createCreditNote({ id: invoice.id }, user()))).toBe('DTE_NOT_ALLOWED');
    expect(await reason(office.documents.createCreditNote({ id: randomUUID() }, user()))).toBe('NOT_FOUND');
  });

  test('is issued at the first point of sale when the one of its crédito fiscal was removed', async () => {
    const { id: clinicId, nit, user } = await office.clinic();
    const { id } = await office.documents.checkout(CREDIT, user());
    await office.issuers.setDteIssuer({ ...ISSUER, nit, pointsOfSale: [{ establishment: 'M001', code: 'P002' }] }, asAdmin(clinicId));
    const note = await office.documents.createCreditNote({ id }, user());
    expect(note).toMatchObject({ status: 'processed', numeroControl: 'DTE-05-M001P002-000000000000001' });
  });

  test('is in the environment of its crédito fiscal', async () => {
    const { id: clinicId, nit, user } = await office.clinic();
    const { id } = await office.documents.checkout(CREDIT, user());
    await office.issuers.setDteIssuer({ ...ISSUER, nit, environment: 'production' }, asAdmin(clinicId));
    expect(await reason(office.documents.createCreditNote({ id }, user()))).toBe('DTE_NOT_ALLOWED');
  });

  test('with an idempotency key happens once', async () => {
    const { user } = await office.clinic();
    const { id } = await office.documents.checkout(CREDIT, user());
    const key = randomUUID();
    const [first, second] = [await office.documents.createCreditNote({ id }, user(key)), await office.documents.createCreditNote({ id }, user(key))];
    expect(second.id).toBe(first.id);
  });

  test('has the current schema from the cut-over on', async () => {
    const { user } = await office.clinic();
    const { id } = await office.documents.checkout(CREDIT, user());
    office.clock.set(new Date('2026-12-05T15:00:00Z'));
    expect(await office.documents.createCreditNote({ id }, user())).toMatchObject({ status: 'processed', document: { identificacion: { version: 4 } } });
  });
});

describe('an invalidation', () => {
  test('invalidates a document at the authority', async () => {
    const { user } = await office.clinic();
    const { id, codigoGeneracion } = await office.documents.checkout(INVOICE, user());
    const invalidated = await office.documents.invalidateTaxDocument({ id, type: 2, reason: 'El paciente canceló' }, user());
    expect(invalidated).toMatchObject({ id, status: 'invalidated' });
    expect(invalidated.invalidatedAt).toBeDefined();
    expect((await office.authority.state()).documents.find(({ code }) => code === codigoGeneracion)?.isInvalid).toBe(true);
    expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('DTE_NOT_ALLOWED');
  });

  test('because of an error names the document that replaces it', async () => {
    const { user } = await office.clinic();
    const [wrong, right] = [await office.documents.checkout(INVOICE, user()), await office.documents.checkout(INVOICE, user())];
    const credit = await office.documents.checkout(CREDIT, user());
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
    const { id } = await office.documents.checkout(CREDIT, user());
    const note = await office.documents.createCreditNote({ id, items: [item(10)] }, user());
    expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('DTE_NOT_ALLOWED');
    expect(await reason(office.documents.invalidateTaxDocument({ id: note.id, type: 1 }, user()))).toBe('VALIDATION_ERROR');
    office.clock.set(new Date('2026-12-02T15:00:00Z'));
    await office.documents.invalidateTaxDocument({ id: note.id, type: 1 }, user());
    expect((await office.documents.invalidateTaxDocument({ id, type: 2 }, user())).status).toBe('invalidated');
  });

  test('is possible until its deadline', async () => {
    const { user } = await office.clinic();
    const [invoice, credit] = [await office.documents.checkout(INVOICE, user()), await office.documents.checkout(CREDIT, user())];
    // The tenth business day of December 2026 is the 14th.
    office.clock.set(new Date('2026-12-15T05:59:00Z'));
    const second = await office.documents.checkout(CREDIT, user());
    expect((await office.documents.invalidateTaxDocument({ id: credit.id, type: 2 }, user())).status).toBe('invalidated');
    office.clock.set(new Date(NOW.getTime() + 91 * DAY));
    expect((await office.documents.invalidateTaxDocument({ id: invoice.id, type: 2 }, user())).status).toBe('invalidated');
    expect(await reason(office.documents.invalidateTaxDocument({ id: second.id, type: 2 }, user()))).toBe('DTE_NOT_ALLOWED');
  });

  test('whose answer is lost is sent again unchanged', async () => {
    const { user } = await office.clinic();
    const { id } = await office.documents.checkout(INVOICE, user());
    await office.authority.mood('lost', 1);
    expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('UNAVAILABLE');
    expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2, reason: 'Otro motivo' }, user()))).toBe('DTE_NOT_ALLOWED');
    expect((await office.documents.getTaxDocument({ id }, user())).status).toBe('processed');
    expect((await office.documents.invalidateTaxDocument({ id, type: 2 }, user())).status).toBe('invalidated');
  });

  test('that is not repeated is sent by a sweep', async () => {
    const { user } = await office.clinic();
    const { id } = await office.documents.checkout(INVOICE, user());
    await office.authority.mood(UNAVAILABLE);
    expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('UNAVAILABLE');
    await office.authority.mood('answers');
    await office.sweep();
    expect((await office.documents.getTaxDocument({ id }, user())).status).toBe('processed'); // the call may still be in progress
    office.clock.advance(60_000);
    await office.sweepUntil(id, 'invalidated');
  });

  test('that is rejected when a sweep sends it leaves the observations in the document', async () => {
    const { nit, user } = await office.clinic();
    const { id } = await office.documents.checkout(INVOICE, user());
    await office.authority.mood(UNAVAILABLE);
    expect(await reason(office.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('UNAVAILABLE');
    // The taxpayer has a new certificate, which the clinic has not set yet.
    await office.authority.certificate(nit, 'Otra-Clave-2');
    await office.authority.mood('answers');
    office.clock.advance(60_000);
    const observations = ['Invalidación rechazada: FIRMA NO VALIDA'];
    await waitFor(async () => {
      await office.sweep();
      return (await office.documents.getTaxDocument({ id }, user())).observations.length > 0;
    });
    expect(await office.documents.getTaxDocument({ id }, user())).toMatchObject({ status: 'processed', observations });
    await expect(office.documents.invalidateTaxDocument({ id, type: 2 }, user())).rejects.toMatchObject({ reason: 'DTE_REJECTED' });
    expect(await office.documents.getTaxDocument({ id }, user())).toMatchObject({ status: 'processed', observations });
  });
});

test('a contingency event that is rejected is not sent again each minute', async () => {
  const clinic = await office.clinic();
  await office.authority.mood(UNAVAILABLE);
  const { id } = await office.documents.checkout(INVOICE, clinic.user());
  // The authority has a new certificate of this taxpayer by now.
  await office.authority.mood('answers');
  const renewed = await office.authority.certificate(clinic.nit);
  const events = () => office.query("select status from dte_events where clinic_id = $1 and kind = 'contingency' order by created_at", [clinic.id]);
  await waitFor(async () => {
    await office.sweep();
    return (await events()).some(({ status }) => status === 'rejected');
  });
  for (let minute = 0; minute < 3; minute++) {
    office.clock.advance(60_000);
    await office.sweep();
  }
  expect(await events()).toEqual([{ status: 'rejected' }]);
  await office.issuers.setDteCertificate({ certificate: renewed, password: PASSWORD }, asAdmin(clinic.id));
  office.clock.advance(3_600_000);
  await office.sweepUntil(id, 'rejected'); // signed with the old key
  expect(await events()).toEqual([{ status: 'rejected' }, { status: 'accepted' }]);
  expect((await office.documents.correctTaxDocument({ id }, clinic.user())).status).toBe('processed');
});

describe('files', () => {
  test('are the JSON with signature and seal, and a PDF with the names as they are written', async () => {
    const { user } = await office.clinic();
    const items = [
      ...CREDIT.items,
      { description: 'Resina compuesta en pieza 16, tres superficies, con aislamiento absoluto y anestesia', quantity: 2, unitPrice: 33.333333, discount: 5.5 },
      { description: 'Cepillo dental', quantity: 3, unitPrice: 2.25, kind: 'good' },
    ];
    const order = {
      ...CREDIT,
      items,
      receiver: { ...TAXPAYER, name: 'Łukasz Żółć, S.A.', isLargeTaxpayer: true },
      payment: { condition: 'credit', term: { unit: 'days', count: 30 } },
      notes: 'Gracias',
    };
    const { id, selloRecibido, jws } = await office.documents.checkout(order, user());
    const json = JSON.parse(new TextDecoder().decode((await office.documents.getTaxDocumentJson({ id }, user())).content));
    expect(json).toMatchObject({ firmaElectronica: jws, selloRecibido, identificacion: { tipoDte: '03' } });
    const pdf = await office.documents.getTaxDocumentPdf({ id }, user());
    expect(pdf.contentType).toBe('application/pdf');
    const text = textOfPdf(pdf.content);
    for (const shown of ['Łukasz Żółć, S.A.', 'CIENTO OCHENTA Y OCHO 07/100 DÓLARES', selloRecibido, 'PRUEBA']) expect(text).toContain(shown);
    expect(text.match(/\$5\.50/g)).toHaveLength(1);
    if (process.env.PDF_PREFIX) writeFileSync(`${process.env.PDF_PREFIX}-credit.pdf`, pdf.content);
  });

  test('exist for every kind and status, also over several pages', async () => {
    const { user } = await office.clinic();
    const items = Array.from({ length: 70 }, (_, n) => ({ description: `Procedimiento ${n} ñandú 😀 漢`, quantity: 1.5, unitPrice: 1.2345, kind: 'service' }));
    const toPay = Math.round(1.5 * 1.2345 * 70 * 100 + 1e-6) / 100;
    const long = await office.documents.checkout({ type: 'invoice', items, payment: { methods: [{ code: '03', amount: toPay, reference: 'V-77' }] } }, user());
    const credit = await office.documents.checkout(CREDIT, user());
    const note = await office.documents.createCreditNote({ id: credit.id, notes: 'Devolución' }, user());
    await office.documents.invalidateTaxDocument({ id: note.id, type: 2 }, user());
    await office.authority.mood(UNAVAILABLE);
    const deferred = await office.documents.checkout(INVOICE, user());
    for (const [name, { id }] of Object.entries({ long, note, deferred })) {
      const { content } = await office.documents.getTaxDocumentPdf({ id }, user());
      expect(content.length).toBeGreaterThan(2_000);
      if (process.env.PDF_PREFIX) writeFileSync(`${process.env.PDF_PREFIX}-${name}.pdf`, content);
    }
  });

  test('are mailed to the receiver once the document is sealed, unless the clinic sends its documents itself', async () => {
    const mailed = (id: string) => office.mails.filter(({ reference }) => reference === `${id}:sealed`);
    const silent = await office.clinic(randomNit(), { mailReceivers: false });
    const unsent = await office.documents.checkout(CREDIT, silent.user());
    const { user } = await office.clinic();
    await office.authority.mood(UNAVAILABLE);
    const late = await office.documents.checkout(CREDIT, user());
    expect(mailed(late.id)).toEqual([]);
    await office.authority.mood('answers');
    const nobody = await office.documents.checkout(INVOICE, user());
    const { id, codigoGeneracion } = await office.documents.checkout(CREDIT, user());
    await waitFor(() => mailed(id).length === 1);
    await office.sweepUntil(late.id, 'processed');
    await waitFor(() => mailed(late.id).length === 1);
    expect(mailed(id)[0]).toMatchObject({ to: TAXPAYER.email });
    const [pdf, json] = mailed(id)[0]?.attachments ?? [];
    expect(pdf).toMatchObject({ filename: `${codigoGeneracion}.pdf`, contentType: 'application/pdf' });
    expect(Buffer.from(pdf?.content ?? []).toString('latin1')).toMatch(/^%PDF/);
    expect(JSON.parse(new TextDecoder().decode(json?.content))).toMatchObject({ identificacion: { codigoGeneracion }, selloRecibido: expect.any(String) });
    expect([...mailed(nobody.id), ...mailed(unsent.id)]).toEqual([]);
  });

  test('reach the receiver by a link in a mail', async () => {
    const { user } = await office.clinic();
    const { id, codigoGeneracion } = await office.documents.checkout(CREDIT, user());
    expect(await office.documents.sendTaxDocument({ id }, user())).toMatchObject({ sent: true });
    const mail = office.mails.findLast(({ reference }) => reference.startsWith(`${id}:`));
    expect(mail).toMatchObject({ kind: 'document', to: TAXPAYER.email, parameters: { name: TAXPAYER.name, clinic: 'CLINICA DE PRUEBA' } });
    const token = tokenOf(mail);
    const opened = await office.documents.openTaxDocument({ token, format: 'json' }, asAnonymous());
    expect(new TextDecoder().decode(opened.content)).toContain(codigoGeneracion);
    const forged = token.slice(0, -2) + (token.endsWith('AA') ? 'BB' : 'AA');
    expect(await reason(office.documents.openTaxDocument({ token: forged, format: 'pdf' }, asAnonymous()))).toBe('NOT_FOUND');
    const anonymous = await office.documents.checkout(INVOICE, user());
    expect(await reason(office.documents.sendTaxDocument({ id: anonymous.id }, user()))).toBe('VALIDATION_ERROR');
    expect(await office.documents.sendTaxDocument({ id: anonymous.id, email: 'luis@example.com' }, user())).toMatchObject({ sent: true });
  });

  test('cannot be opened by a link that has expired or was revoked', async () => {
    const { id: clinicId, user } = await office.clinic();
    const { id } = await office.documents.checkout(CREDIT, user());
    const mailLink = async () => {
      await office.documents.sendTaxDocument({ id }, user());
      return tokenOf(office.mails.findLast(({ reference }) => reference.startsWith(`${id}:`)));
    };
    const opens = async (token: string) => (await reason(office.documents.openTaxDocument({ token, format: 'json' }, asAnonymous()))) === 'nothing';
    office.clock.advance(DAY);
    const first = await mailLink();
    const earlier = tokenOfEarlierRelease(clinicId, id);
    office.clock.advance(89 * DAY - 1);
    expect([await opens(first), await opens(earlier)]).toEqual([true, true]);
    office.clock.advance(1);
    expect([await opens(first), await opens(earlier)]).toEqual([true, false]);
    const second = await mailLink();
    office.clock.advance(DAY);
    expect([await opens(first), await opens(second)]).toEqual([false, true]);

    const other = await office.clinic();
    for (const [document, caller] of [
      [id, other.user()],
      [randomUUID(), user()],
      ['x', user()],
    ] as const)
      expect(await reason(office.documents.revokeTaxDocumentLinks({ id: document }, caller))).toBe('NOT_FOUND');
    expect(await opens(second)).toBe(true);
    await office.documents.revokeTaxDocumentLinks({ id }, user());
    expect(await opens(second)).toBe(false);
    const third = await mailLink();
    expect([await opens(second), await opens(third)]).toEqual([false, true]);
    office.clock.set(NOW);
    expect(await opens(tokenOfEarlierRelease(clinicId, id))).toBe(false);
  });
});

const tokenOf = (mail: { parameters: Record<string, string> } | undefined) => /\/api\/dte\/shared\/([\w-]+)\.pdf$/.exec(mail?.parameters.link ?? '')?.[1] ?? '';

/** Without revocations and expiry. */
function tokenOfEarlierRelease(...ids: string[]): string {
  const [{ key } = { key: '' }] = office.app.keys;
  const body = Buffer.from(`01${ids.join('').replaceAll('-', '')}`, 'hex');
  const mac = createHmac('sha256', Buffer.from(hkdfSync('sha256', key, '', 'clinic tax document link', 32)))
    .update(body)
    .digest();
  return Buffer.concat([body, mac.subarray(0, 16)]).toString('base64url');
}

test('lists filter, search and page', async () => {
  const { user } = await office.clinic();
  const invoice = await office.documents.checkout(INVOICE, user());
  office.clock.advance(DAY);
  const credit = await office.documents.checkout(CREDIT, user());
  const ids = async (filter: object) => (await office.documents.listTaxDocuments(filter, user())).documents.map(({ id }) => id);
  expect(await ids({})).toEqual([credit.id, invoice.id]);
  expect(await ids({ to: '2026-11-20' })).toEqual([invoice.id]);
  expect(await ids({ from: '2026-11-21', type: 'credit_fiscal', status: 'processed' })).toEqual([credit.id]);
  expect(await ids({ search: invoice.codigoGeneracion.slice(3, 12).toLowerCase() })).toEqual([invoice.id]);
  expect(await ids({ search: '%' })).toEqual([]);
  const named = await office.documents.checkout(
    { ...INVOICE, receiver: { name: 'José Ñúñez-Peña O’Brien', documentType: '13', documentNumber: '01234567-8' } },
    user(),
  );
  for (const search of ['jose', 'PEÑA, José', 'nunez', 'obrien', "O'Brien José", '012345678', '01234567-8'])
    expect({ search, ids: await ids({ search }) }).toEqual({ search, ids: [named.id] });
  expect(await ids({ search: 'jose prueba' })).toEqual([]);
  expect(await ids({ search: 'contribuyente' })).toEqual([credit.id]);
  const [{ text }] = await office.query("select encode(string_agg(word_sealed, ''), 'escape') as text from dte_receiver_words where document_id = $1", [
    named.id,
  ]);
  expect(text).not.toContain('jose');
  const page = await office.documents.listTaxDocuments({ page: 2, limit: 1 }, user());
  expect(page).toMatchObject({ total: 3, page: 2, limit: 1 });
  expect(page.documents[0]).toMatchObject({ id: credit.id });
  expect(page.documents[0]?.document).toBeUndefined();
});

test('services page through the documents of all clinics', async () => {
  const { id: clinicId, user } = await office.clinic();
  const issued = [await office.documents.checkout(INVOICE, user()), await office.documents.checkout({ ...INVOICE, appointmentId: PATIENT }, user())];
  const listed: { clinicId: string | undefined; documentId: string }[] = [];
  for (let last = { afterClinicId: '', afterId: '' }; ; ) {
    const { documents, clinicIds } = await office.documents.listTaxDocumentStates({ ...last, limit: 3 }, asService('scheduling'));
    listed.push(...documents.map(({ documentId }, index) => ({ clinicId: clinicIds[index], documentId })));
    if (documents.length < 3) break;
    last = { afterClinicId: clinicIds.at(-1) ?? '', afterId: documents.at(-1)?.documentId ?? '' };
  }
  const all = await office.query('select clinic_id as "clinicId", id as "documentId" from dte_documents order by clinic_id, id');
  expect(listed).toEqual(all);
  expect(listed.filter((one) => one.clinicId === clinicId)).toHaveLength(issued.length);
  const [published] = await office.query("select payload from outbox where payload ->> 'documentId' = $1 order by id desc limit 1", [issued[1]?.id]);
  const { documents } = await office.documents.listTaxDocumentStates({ limit: 5_000 }, asService('scheduling'));
  expect(toJson(TaxDocumentChangedSchema, documents.find(({ documentId }) => documentId === issued[1]?.id) ?? ({} as never))).toEqual(published.payload);
  expect(published.payload).toMatchObject({ appointmentId: PATIENT, totalCents: '11300', status: 'processed', revision: 2 });
  expect(await reason(office.documents.listTaxDocumentStates({}, user()))).toBe('FORBIDDEN');
});

test('documents and profile follow a merge of patients, and its undo', async () => {
  const clinic = await office.clinic();
  const [keptId, mergeId] = [randomUUID(), randomUUID()];
  await office.receivers.setTaxProfile({ id: PATIENT, documentType: '13', documentNumber: '01234567-8' }, clinic.user());
  const { id } = await office.documents.checkout({ ...INVOICE, patientId: PATIENT }, clinic.user());
  const consume = (consumer: Consumer, merge = mergeId) =>
    deliver(office.service.db, consumer, clinic.id, create(consumer.event, { mergeId: merge, keptId, mergedId: PATIENT }));
  const [merged, unmerged] = [onPatientsMerged(office.app), onPatientsUnmerged(office.app)] as [Consumer, Consumer];
  const of = async (patientId: string) => (await office.documents.listTaxDocuments({ patientId }, clinic.user())).documents.map((document) => document.id);
  const profiles = async () =>
    (await office.query('select patient_id from dte_tax_profiles where clinic_id = $1', [clinic.id])).map(({ patient_id }) => patient_id);

  await consume(merged);
  expect([await of(keptId), await of(PATIENT), await profiles()]).toEqual([[id], [], [keptId]]);
  const published = await office.query('select payload from outbox where clinic_id = $1 order by id desc limit 1', [clinic.id]);
  expect(published).toMatchObject([{ payload: { documentId: id, patientId: keptId, status: 'processed' } }]);
  await consume(unmerged);
  await consume(merged); // redelivered
  expect([await of(keptId), await of(PATIENT), await profiles()]).toEqual([[], [id], [PATIENT]]);
  expect(await office.receivers.getTaxProfile({ id: PATIENT }, clinic.user())).toMatchObject({ documentNumber: '012345678' });
  // Another merge, whose undo arrives first.
  await consume(unmerged, keptId);
  await consume(merged, keptId);
  expect(await of(PATIENT)).toEqual([id]);
});

test('the books of a month add up', async () => {
  const { user } = await office.clinic();
  const pay = (amount: number) => ({ methods: [{ code: '01', amount }] });
  for (const price of [113, 22.6]) await office.documents.checkout({ ...INVOICE, items: [item(price)], payment: pay(price) }, user());
  const gone = await office.documents.checkout(INVOICE, user());
  await office.documents.invalidateTaxDocument({ id: gone.id, type: 2 }, user());
  const credit = await office.documents.checkout({ ...CREDIT, receiver: { ...TAXPAYER, name: '=1+1' } }, user());
  await office.documents.createCreditNote({ id: credit.id, items: [item(40)] }, user());
  office.clock.set(new Date('2026-12-01T07:00:00Z'));
  await office.documents.checkout(INVOICE, user());
  const book = async (name: string) => {
    const { content, filename } = await office.documents.getTaxBook({ book: name, month: '2026-11' }, user());
    const [heading, ...lines] = Buffer.from(content).toString('utf8').trimEnd().split('\r\n');
    expect(heading?.startsWith('\uFEFF"fecha",')).toBe(true);
    return { filename, lines };
  };
  const consumers = await book('consumers');
  expect(consumers.filename).toBe('ventas-consumidor-final-2026-11.csv');
  expect(consumers.lines).toHaveLength(1);
  expect(consumers.lines[0]).toMatch(/^"2026-11-20","01",.*,"2","0\.00","0\.00","135\.60","15\.60","0\.00","135\.60"$/);
  const taxpayers = await book('taxpayers');
  expect(taxpayers.lines).toHaveLength(2);
  expect(taxpayers.lines[0]).toMatch(/,"vigente","06140202901024","7654321","'=1\+1","0\.00","0\.00","100\.00","13\.00","0\.00","113\.00"$/);
  expect(taxpayers.lines[1]).toMatch(/,"-40\.00","-5\.20","0\.00","-45\.20"$/);
  expect(await reason(office.documents.getTaxBook({ book: 'consumers', month: '2026-13' }, user()))).toBe('VALIDATION_ERROR');
});

test('catalogues are searched by code and by words, regardless of accents', async () => {
  const { user } = await office.clinic();
  const find = (request: object) => office.receivers.listDteCatalog(request, user());
  expect(await find({ code: 'CAT-019', search: 'odontologia' })).toMatchObject({ entries: [{ code: '86202', value: 'Servicios de Odontología' }], total: 1 });
  expect((await find({ code: '017' })).entries.map(({ code }) => code)).toContain('01');
  expect((await find({ code: 'CAT-013', department: '06' })).total).toBe(5);
  expect(await reason(find({ code: 'CAT-999' }))).toBe('NOT_FOUND');
});
