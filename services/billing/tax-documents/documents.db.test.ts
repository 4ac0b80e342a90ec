// What becomes of documents: notes, invalidations, files, mails, lists and books.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { create, toJson } from '@bufbuild/protobuf';
import { asSystem } from '@clinic/lib/db/db.ts';
import type { Consumer } from '@clinic/lib/events/events.ts';
import { asAdmin, asAnonymous, asService } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CREDIT, type Desk, INVOICE, NOW, openDesk, PASSWORD, PATIENT, randomNit, TAXPAYER } from '../testing/tax-office.ts';
import { onPatientsMerged } from './on-patients-merged.ts';
import { onPatientsUnmerged } from './on-patients-unmerged.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.stop());
beforeEach(async () => {
  desk.clock.set(NOW);
  await desk.authority.mood('answers');
});

const reason = (sent: Promise<unknown>) =>
  sent.then(
    () => 'nothing',
    (error: { reason: string }) => error.reason,
  );
const item = (unitPrice: number) => ({ description: 'Consulta', quantity: 1, unitPrice });
const DAY = 86_400_000;

describe('a note', () => {
  test('takes back a crédito fiscal, and never more than there is', async () => {
    const { user } = await desk.clinic();
    const credit = await desk.documents.checkout(CREDIT, user());
    const part = await desk.documents.createCreditNote({ id: credit.id, items: [item(40)] }, user());
    expect(part).toMatchObject({ type: 'credit_note', status: 'processed', total: 4520n, taxes: 520n, relatedDocumentId: credit.id });
    expect(part.numeroControl).toBe('DTE-05-M001P001-000000000000001');
    expect(part.document).toMatchObject({ documentoRelacionado: [{ numeroDocumento: credit.codigoGeneracion }] });
    const racing = await Promise.allSettled(Array.from({ length: 4 }, () => desk.documents.createCreditNote({ id: credit.id, items: [item(25)] }, user())));
    expect(racing.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await reason(desk.documents.createCreditNote({ id: credit.id }, user()))).toBe('VALIDATION_ERROR');
  });

  test('is for a sealed crédito fiscal alone', async () => {
    const { user } = await desk.clinic();
    const invoice = await desk.documents.checkout(INVOICE, user());
    expect(await reason(desk.documents.createCreditNote({ id: invoice.id }, user()))).toBe('DTE_NOT_ALLOWED');
    expect(await reason(desk.documents.createCreditNote({ id: randomUUID() }, user()))).toBe('NOT_FOUND');
  });

  test('with a key happens once', async () => {
    const { user } = await desk.clinic();
    const { id } = await desk.documents.checkout(CREDIT, user());
    const key = randomUUID();
    const [first, second] = [await desk.documents.createCreditNote({ id }, user(key)), await desk.documents.createCreditNote({ id }, user(key))];
    expect(second.id).toBe(first.id);
  });

  test('has the schema of 2026 from the cut-over on', async () => {
    const { user } = await desk.clinic();
    const { id } = await desk.documents.checkout(CREDIT, user());
    desk.clock.set(new Date('2026-12-05T15:00:00Z'));
    expect(await desk.documents.createCreditNote({ id }, user())).toMatchObject({ status: 'processed', document: { identificacion: { version: 4 } } });
  });
});

describe('an invalidation', () => {
  test('takes a document back at the authority', async () => {
    const { user } = await desk.clinic();
    const { id, codigoGeneracion } = await desk.documents.checkout(INVOICE, user());
    const taken = await desk.documents.invalidateTaxDocument({ id, type: 2, reason: 'El paciente canceló' }, user());
    expect(taken).toMatchObject({ id, status: 'invalidated' });
    expect(taken.invalidatedAt).toBeDefined();
    expect((await desk.authority.state()).documents.find(({ code }) => code === codigoGeneracion)?.isInvalid).toBe(true);
    expect(await reason(desk.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('DTE_NOT_ALLOWED');
  });

  test('for an error names what stands in its place', async () => {
    const { user } = await desk.clinic();
    const [wrong, right] = [await desk.documents.checkout(INVOICE, user()), await desk.documents.checkout(INVOICE, user())];
    const credit = await desk.documents.checkout(CREDIT, user());
    for (const replacementId of [undefined, wrong.id, credit.id, randomUUID()])
      expect(await reason(desk.documents.invalidateTaxDocument({ id: wrong.id, type: 1, ...(replacementId && { replacementId }) }, user()))).toBe(
        'VALIDATION_ERROR',
      );
    const requestedBy = { name: 'Luis Pérez', documentType: '13', documentNumber: '01234567-8' };
    const taken = await desk.documents.invalidateTaxDocument({ id: wrong.id, type: 1, replacementId: right.id, requestedBy }, user());
    expect(taken.status).toBe('invalidated');
  });

  test('waits until the notes are taken back', async () => {
    const { user } = await desk.clinic();
    const { id } = await desk.documents.checkout(CREDIT, user());
    const note = await desk.documents.createCreditNote({ id, items: [item(10)] }, user());
    expect(await reason(desk.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('DTE_NOT_ALLOWED');
    expect(await reason(desk.documents.invalidateTaxDocument({ id: note.id, type: 1 }, user()))).toBe('VALIDATION_ERROR');
    desk.clock.set(new Date('2026-12-02T15:00:00Z'));
    await desk.documents.invalidateTaxDocument({ id: note.id, type: 1 }, user());
    expect((await desk.documents.invalidateTaxDocument({ id, type: 2 }, user())).status).toBe('invalidated');
  });

  test('is possible for a while', async () => {
    const { user } = await desk.clinic();
    const [invoice, credit] = [await desk.documents.checkout(INVOICE, user()), await desk.documents.checkout(CREDIT, user())];
    // The tenth business day of December 2026 is the 14th.
    desk.clock.set(new Date('2026-12-15T05:59:00Z'));
    const second = await desk.documents.checkout(CREDIT, user());
    expect((await desk.documents.invalidateTaxDocument({ id: credit.id, type: 2 }, user())).status).toBe('invalidated');
    desk.clock.set(new Date(NOW.getTime() + 91 * DAY));
    expect((await desk.documents.invalidateTaxDocument({ id: invoice.id, type: 2 }, user())).status).toBe('invalidated');
    expect(await reason(desk.documents.invalidateTaxDocument({ id: second.id, type: 2 }, user()))).toBe('DTE_NOT_ALLOWED');
  });

  test('whose answer is lost is sent again as it was', async () => {
    const { user } = await desk.clinic();
    const { id } = await desk.documents.checkout(INVOICE, user());
    await desk.authority.mood('lost', 1);
    expect(await reason(desk.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('UNAVAILABLE');
    expect((await desk.documents.getTaxDocument({ id }, user())).status).toBe('processed');
    expect((await desk.documents.invalidateTaxDocument({ id, type: 2 }, user())).status).toBe('invalidated');
  });

  test('that nobody repeats reaches the authority with a sweep', async () => {
    const { user } = await desk.clinic();
    const { id } = await desk.documents.checkout(INVOICE, user());
    await desk.authority.mood('away');
    expect(await reason(desk.documents.invalidateTaxDocument({ id, type: 2 }, user()))).toBe('UNAVAILABLE');
    await desk.authority.mood('answers');
    await desk.sweep();
    expect((await desk.documents.getTaxDocument({ id }, user())).status).toBe('processed'); // the call may still be under way
    desk.clock.advance(60_000);
    await desk.sweepUntil(id, 'invalidated');
  });
});

test('a contingency that is refused is not told anew each minute', async () => {
  const clinic = await desk.clinic();
  await desk.authority.mood('away');
  const { id } = await desk.documents.checkout(INVOICE, clinic.user());
  // The authority knows another certificate of this taxpayer by now.
  await desk.authority.mood('answers');
  const renewed = await desk.authority.certificate(clinic.nit);
  const events = () => desk.look("select status from dte_events where clinic_id = $1 and kind = 'contingency' order by created_at", [clinic.id]);
  await waitFor(async () => {
    await desk.sweep();
    return (await events()).some(({ status }) => status === 'rejected');
  });
  for (let minute = 0; minute < 3; minute++) {
    desk.clock.advance(60_000);
    await desk.sweep();
  }
  expect(await events()).toEqual([{ status: 'rejected' }]);
  await desk.issuers.setDteCertificate({ certificate: renewed, password: PASSWORD }, asAdmin(clinic.id));
  desk.clock.advance(3_600_000);
  await desk.sweepUntil(id, 'rejected'); // signed with the old key
  expect(await events()).toEqual([{ status: 'rejected' }, { status: 'accepted' }]);
  expect((await desk.documents.correctTaxDocument({ id }, clinic.user())).status).toBe('processed');
});

describe('files', () => {
  test('are the JSON with signature and seal, and a paper', async () => {
    const { user } = await desk.clinic();
    const items = [
      ...CREDIT.items,
      { description: 'Resina compuesta en pieza 16, tres superficies, con aislamiento absoluto y anestesia', quantity: 2, unitPrice: 33.333333, discount: 5.5 },
      { description: 'Cepillo dental', quantity: 3, unitPrice: 2.25, kind: 'good' },
    ];
    const order = {
      ...CREDIT,
      items,
      receiver: { ...TAXPAYER, isLargeTaxpayer: true },
      payment: { condition: 'credit', term: { unit: 'days', count: 30 } },
      notes: 'Gracias',
    };
    const { id, selloRecibido, jws } = await desk.documents.checkout(order, user());
    const json = JSON.parse(new TextDecoder().decode((await desk.documents.getTaxDocumentJson({ id }, user())).content));
    expect(json).toMatchObject({ firmaElectronica: jws, selloRecibido, identificacion: { tipoDte: '03' } });
    const paper = await desk.documents.getTaxDocumentPdf({ id }, user());
    expect(paper.contentType).toBe('application/pdf');
    expect(Buffer.from(paper.content).toString('latin1')).toMatch(/^%PDF/);
    if (process.env.DTE_PAPER) writeFileSync(`${process.env.DTE_PAPER}-credit.pdf`, paper.content);
  });

  test('are there for every kind and state, however long', async () => {
    const { user } = await desk.clinic();
    const items = Array.from({ length: 70 }, (_, n) => ({ description: `Procedimiento ${n} ñandú 😀 漢`, quantity: 1.5, unitPrice: 1.2345, kind: 'service' }));
    const toPay = Math.round(1.5 * 1.2345 * 70 * 100 + 1e-6) / 100;
    const long = await desk.documents.checkout({ type: 'invoice', items, payment: { methods: [{ code: '03', amount: toPay, reference: 'V-77' }] } }, user());
    const credit = await desk.documents.checkout(CREDIT, user());
    const note = await desk.documents.createCreditNote({ id: credit.id, notes: 'Devolución' }, user());
    await desk.documents.invalidateTaxDocument({ id: note.id, type: 2 }, user());
    await desk.authority.mood('away');
    const away = await desk.documents.checkout(INVOICE, user());
    for (const [name, { id }] of Object.entries({ long, note, away })) {
      const { content } = await desk.documents.getTaxDocumentPdf({ id }, user());
      expect(content.length).toBeGreaterThan(2_000);
      if (process.env.DTE_PAPER) writeFileSync(`${process.env.DTE_PAPER}-${name}.pdf`, content);
    }
  });

  test('go to the receiver by themselves once they are sealed, unless the clinic does so', async () => {
    const mailed = (id: string) => desk.mails.filter(({ reference }) => reference === `${id}:sealed`);
    const silent = await desk.clinic(randomNit(), { mailReceivers: false });
    const kept = await desk.documents.checkout(CREDIT, silent.user());
    const { user } = await desk.clinic();
    await desk.authority.mood('away');
    const late = await desk.documents.checkout(CREDIT, user());
    await desk.authority.mood('answers');
    const nobody = await desk.documents.checkout(INVOICE, user());
    const { id, codigoGeneracion } = await desk.documents.checkout(CREDIT, user());
    await waitFor(() => mailed(id).length === 1);
    expect(mailed(late.id)).toEqual([]);
    await desk.sweepUntil(late.id, 'processed');
    await waitFor(() => mailed(late.id).length === 1);
    expect(mailed(id)[0]).toMatchObject({ to: TAXPAYER.email });
    const [pdf, json] = mailed(id)[0]?.attachments ?? [];
    expect(pdf).toMatchObject({ filename: `${codigoGeneracion}.pdf`, contentType: 'application/pdf' });
    expect(Buffer.from(pdf?.content ?? []).toString('latin1')).toMatch(/^%PDF/);
    expect(JSON.parse(new TextDecoder().decode(json?.content))).toMatchObject({ identificacion: { codigoGeneracion }, selloRecibido: expect.any(String) });
    expect([...mailed(nobody.id), ...mailed(kept.id)]).toEqual([]);
  });

  test('reach the receiver by a link in a mail', async () => {
    const { user } = await desk.clinic();
    const { id, codigoGeneracion } = await desk.documents.checkout(CREDIT, user());
    expect(await desk.documents.sendTaxDocument({ id }, user())).toMatchObject({ sent: true });
    const mail = desk.mails.findLast(({ reference }) => reference.startsWith(`${id}:`));
    expect(mail).toMatchObject({ kind: 'document', to: TAXPAYER.email, parameters: { name: TAXPAYER.name, clinic: 'CLINICA DE PRUEBA' } });
    const [, token = ''] = /\/api\/dte\/shared\/([\w-]+)\.pdf$/.exec(mail?.parameters.link ?? '') ?? [];
    const opened = await desk.documents.openTaxDocument({ token, format: 'json' }, asAnonymous());
    expect(new TextDecoder().decode(opened.content)).toContain(codigoGeneracion);
    const forged = token.slice(0, -2) + (token.endsWith('AA') ? 'BB' : 'AA');
    expect(await reason(desk.documents.openTaxDocument({ token: forged, format: 'pdf' }, asAnonymous()))).toBe('NOT_FOUND');
    const anonymous = await desk.documents.checkout(INVOICE, user());
    expect(await reason(desk.documents.sendTaxDocument({ id: anonymous.id }, user()))).toBe('VALIDATION_ERROR');
    expect(await desk.documents.sendTaxDocument({ id: anonymous.id, email: 'luis@example.com' }, user())).toMatchObject({ sent: true });
  });
});

test('lists filter, search and page', async () => {
  const { user } = await desk.clinic();
  const invoice = await desk.documents.checkout(INVOICE, user());
  desk.clock.advance(DAY);
  const credit = await desk.documents.checkout(CREDIT, user());
  const ids = async (filter: object) => (await desk.documents.listTaxDocuments(filter, user())).documents.map(({ id }) => id);
  expect(await ids({})).toEqual([credit.id, invoice.id]);
  expect(await ids({ to: '2026-11-20' })).toEqual([invoice.id]);
  expect(await ids({ from: '2026-11-21', type: 'credit_fiscal', status: 'processed' })).toEqual([credit.id]);
  expect(await ids({ search: invoice.codigoGeneracion.slice(3, 12).toLowerCase() })).toEqual([invoice.id]);
  expect(await ids({ search: '%' })).toEqual([]);
  const named = await desk.documents.checkout({ ...INVOICE, receiver: { name: 'José Ñúñez-Peña', documentType: '13', documentNumber: '01234567-8' } }, user());
  for (const search of ['jose', 'PEÑA, José', 'nunez', '012345678', '01234567-8'])
    expect({ search, ids: await ids({ search }) }).toEqual({ search, ids: [named.id] });
  expect(await ids({ search: 'jose prueba' })).toEqual([]);
  expect(await ids({ search: 'contribuyente' })).toEqual([credit.id]);
  const [{ text }] = await desk.look("select encode(string_agg(word_sealed, ''), 'escape') as text from dte_receiver_words where document_id = $1", [named.id]);
  expect(text).not.toContain('jose');
  const page = await desk.documents.listTaxDocuments({ page: 2, limit: 1 }, user());
  expect(page).toMatchObject({ total: 3, page: 2, limit: 1 });
  expect(page.documents[0]).toMatchObject({ id: credit.id });
  expect(page.documents[0]?.document).toBeUndefined();
});

test('neighbours page through all of them, of all clinics', async () => {
  const { id: clinicId, user } = await desk.clinic();
  const issued = [await desk.documents.checkout(INVOICE, user()), await desk.documents.checkout({ ...INVOICE, appointmentId: PATIENT }, user())];
  const seen: { clinicId: string | undefined; documentId: string }[] = [];
  for (let last = { afterClinicId: '', afterId: '' }; ; ) {
    const { documents, clinicIds } = await desk.documents.listTaxDocumentStates({ ...last, limit: 3 }, asService('scheduling'));
    seen.push(...documents.map(({ documentId }, index) => ({ clinicId: clinicIds[index], documentId })));
    if (documents.length < 3) break;
    last = { afterClinicId: clinicIds.at(-1) ?? '', afterId: documents.at(-1)?.documentId ?? '' };
  }
  const all = await desk.look('select clinic_id as "clinicId", id as "documentId" from dte_documents order by clinic_id, id');
  expect(seen).toEqual(all);
  expect(seen.filter((one) => one.clinicId === clinicId)).toHaveLength(issued.length);
  const [told] = await desk.look("select payload from outbox where payload ->> 'documentId' = $1 order by id desc limit 1", [issued[1]?.id]);
  const { documents } = await desk.documents.listTaxDocumentStates({ limit: 5_000 }, asService('scheduling'));
  expect(toJson(TaxDocumentChangedSchema, documents.find(({ documentId }) => documentId === issued[1]?.id) ?? ({} as never))).toEqual(told.payload);
  expect(told.payload).toMatchObject({ appointmentId: PATIENT, totalCents: '11300', status: 'processed', revision: 2 });
  expect(await reason(desk.documents.listTaxDocumentStates({}, user()))).toBe('FORBIDDEN');
});

test('documents and profile follow a merge of patients, and its undo', async () => {
  const clinic = await desk.clinic();
  const [keptId, mergeId] = [randomUUID(), randomUUID()];
  await desk.receivers.setTaxProfile({ id: PATIENT, documentType: '13', documentNumber: '01234567-8' }, clinic.user());
  const { id } = await desk.documents.checkout({ ...INVOICE, patientId: PATIENT }, clinic.user());
  const hear = (consumer: Consumer, merge = mergeId) =>
    asSystem(desk.service.db, (tx) => {
      const event = create(consumer.event, { mergeId: merge, keptId, mergedId: PATIENT });
      return consumer.handle(tx, event, { id: randomUUID(), clinicId: clinic.id, subject: '' });
    });
  const [merged, unmerged] = [onPatientsMerged(desk.app), onPatientsUnmerged(desk.app)] as [Consumer, Consumer];
  const of = async (patientId: string) => (await desk.documents.listTaxDocuments({ patientId }, clinic.user())).documents.map((document) => document.id);
  const profiles = async () =>
    (await desk.look('select patient_id from dte_tax_profiles where clinic_id = $1', [clinic.id])).map(({ patient_id }) => patient_id);

  await hear(merged);
  expect([await of(keptId), await of(PATIENT), await profiles()]).toEqual([[id], [], [keptId]]);
  const told = await desk.look('select payload from outbox where clinic_id = $1 order by id desc limit 1', [clinic.id]);
  expect(told).toMatchObject([{ payload: { documentId: id, patientId: keptId, status: 'processed' } }]);
  await hear(unmerged);
  await hear(merged); // a repeat
  expect([await of(keptId), await of(PATIENT), await profiles()]).toEqual([[], [id], [PATIENT]]);
  expect(await desk.receivers.getTaxProfile({ id: PATIENT }, clinic.user())).toMatchObject({ documentNumber: '012345678' });
  // Another merge, whose undo is heard of first.
  await hear(unmerged, keptId);
  await hear(merged, keptId);
  expect(await of(PATIENT)).toEqual([id]);
});

test('the books of a month add up', async () => {
  const { user } = await desk.clinic();
  const pay = (amount: number) => ({ methods: [{ code: '01', amount }] });
  for (const price of [113, 22.6]) await desk.documents.checkout({ ...INVOICE, items: [item(price)], payment: pay(price) }, user());
  const gone = await desk.documents.checkout(INVOICE, user());
  await desk.documents.invalidateTaxDocument({ id: gone.id, type: 2 }, user());
  const credit = await desk.documents.checkout({ ...CREDIT, receiver: { ...TAXPAYER, name: '=1+1' } }, user());
  await desk.documents.createCreditNote({ id: credit.id, items: [item(40)] }, user());
  desk.clock.set(new Date('2026-12-01T07:00:00Z'));
  await desk.documents.checkout(INVOICE, user());
  const book = async (name: string) => {
    const { content, filename } = await desk.documents.getTaxBook({ book: name, month: '2026-11' }, user());
    const [heading, ...lines] = Buffer.from(content).toString('utf8').trimEnd().split('\r\n');
    expect(heading?.startsWith('\uFEFFfecha,')).toBe(true);
    return { filename, lines };
  };
  const consumers = await book('consumers');
  expect(consumers.filename).toBe('ventas-consumidor-final-2026-11.csv');
  expect(consumers.lines).toHaveLength(1);
  expect(consumers.lines[0]).toMatch(/^2026-11-20,01,.*,2,0\.00,0\.00,135\.60,15\.60,0\.00,135\.60$/);
  const taxpayers = await book('taxpayers');
  expect(taxpayers.lines).toHaveLength(2);
  expect(taxpayers.lines[0]).toMatch(/,vigente,06140202901024,7654321,'=1\+1,0\.00,0\.00,100\.00,13\.00,0\.00,113\.00$/);
  expect(taxpayers.lines[1]).toMatch(/,-40\.00,-5\.20,0\.00,-45\.20$/);
  expect(await reason(desk.documents.getTaxBook({ book: 'consumers', month: '2026-13' }, user()))).toBe('VALIDATION_ERROR');
});

test('catalogues are searched by code and by words, whatever their marks', async () => {
  const { user } = await desk.clinic();
  const find = (request: object) => desk.receivers.listDteCatalog(request, user());
  expect(await find({ code: 'CAT-019', search: 'odontologia' })).toMatchObject({ entries: [{ code: '86202', value: 'Servicios de Odontología' }], total: 1 });
  expect((await find({ code: '017' })).entries.map(({ code }) => code)).toContain('01');
  expect((await find({ code: 'CAT-013', department: '06' })).total).toBe(5);
  expect(await reason(find({ code: 'CAT-999' }))).toBe('NOT_FOUND');
});
