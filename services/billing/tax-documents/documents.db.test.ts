// Lists and books of documents, and the catalogues.
import { toJson } from '@bufbuild/protobuf';
import { asAdmin, asService } from '@clinic/lib/testing/callers.ts';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import { expect, test } from '@jest/globals';
import { PASSWORD, PATIENT, PAYMENT, randomNit, reason, useTaxOffice } from '../testing/tax-office.ts';
import { CREDIT, INVOICE, ISSUER, TAXPAYER } from '../testing/tax-orders.ts';

const office = await useTaxOffice();

const item = (unitPrice: number) => ({ description: 'Consulta', quantity: 1, unitPrice });
const DAY = 86_400_000;

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
  // Letters alone are also part of most generation codes and of every control number.
  for (const search of ['a', 'b', 'c', 'd', 'e', 'f', 'te', 'dte']) expect({ search, ids: await ids({ search }) }).toEqual({ search, ids: [] });
  expect(await ids({ search: credit.numeroControl.slice(4).toLowerCase() })).toEqual([credit.id]);
  const [{ text }] = await office.query("select encode(string_agg(word_sealed, ''), 'escape') as text from dte_receiver_words where document_id = $1", [
    named.id,
  ]);
  expect(text).not.toContain('jose');
  const foreign = { ...INVOICE, paymentId: PAYMENT, receiver: { name: 'Ada Dental-2000', documentType: '03', documentNumber: 'A-123456' } };
  const { id: foreignId } = await office.documents.checkout(foreign, user());
  for (const search of ['ada', 'A-123456', 'a123456', 'Dental-2000', '2000', 'dental ada'])
    expect({ search, ids: await ids({ search }) }).toEqual({ search, ids: [foreignId] });
  for (const search of ['ada jose', 'B-123456']) expect({ search, ids: await ids({ search }) }).toEqual({ search, ids: [] });
  await office.documents.invalidateTaxDocument({ id: foreignId, type: 2 }, user());
  expect([await ids({ paymentId: PAYMENT }), await ids({ paymentId: PATIENT })]).toEqual([[foreignId], []]);
  const page = await office.documents.listTaxDocuments({ page: 3, limit: 1 }, user());
  expect(page).toMatchObject({ total: 4, page: 3, limit: 1 });
  expect(page.documents[0]).toMatchObject({ id: credit.id });
  expect(page.documents[0]?.document).toBeUndefined();
  await office.documents.invalidateTaxDocument({ id: invoice.id, type: 2 }, user());
  expect(await ids({ issued: true })).toEqual([named.id, credit.id]);
  expect(await ids({ issued: false })).toEqual([foreignId, invoice.id]);
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

test('the book of consumers has a line for each point of sale', async () => {
  const points = [
    { establishment: 'M001', code: 'P001' },
    { establishment: 'S002', code: 'P007' },
  ];
  const { user } = await office.clinic(randomNit(), { pointsOfSale: points });
  for (const pointOfSale of [...points, ...points]) await office.documents.checkout({ ...INVOICE, pointOfSale }, user());
  const { content } = await office.documents.getTaxBook({ book: 'consumers', month: '2026-11' }, user());
  const lines = Buffer.from(content).toString('utf8').trimEnd().split('\r\n').slice(1);
  const numbers = lines.map((line) =>
    line
      .split(',')
      .slice(2, 4)
      .concat(line.split(',')[6] ?? ''),
  );
  const of = (series: string) => [`"DTE-01-${series}-000000000000001"`, `"DTE-01-${series}-000000000000002"`, '"2"'];
  expect(numbers).toEqual([of('M001P001'), of('S002P007')]);
});

test('catalogues are searched by code and by words, regardless of accents', async () => {
  const { user } = await office.clinic();
  const find = (request: object) => office.receivers.listDteCatalog(request, user());
  expect(await find({ code: 'CAT-019', search: 'odontologia' })).toMatchObject({ entries: [{ code: '86202', value: 'Servicios de Odontología' }], total: 1 });
  expect((await find({ code: '017' })).entries.map(({ code }) => code)).toContain('01');
  expect((await find({ code: 'CAT-013', department: '06' })).total).toBe(5);
  expect(await reason(find({ code: 'CAT-999' }))).toBe('NOT_FOUND');
});

test('a book contains the documents of one taxpayer, by default those of the present one', async () => {
  const { id, nit: earlier, user } = await office.clinic();
  const present = randomNit();
  const issued = [await office.documents.checkout(INVOICE, user())];
  await office.issuers.setDteIssuer({ ...ISSUER, nit: present }, asAdmin(id));
  await office.issuers.setDteCertificate({ certificate: await office.authority.certificate(present), password: PASSWORD }, asAdmin(id));
  issued.push(await office.documents.checkout(INVOICE, user()));
  expect(issued[1]?.numeroControl).toBe(issued[0]?.numeroControl);
  const codes = async (nit?: string) => {
    const { content } = await office.documents.getTaxBook({ book: 'consumers', month: '2026-11', nit }, user());
    const lines = Buffer.from(content).toString('utf8').trimEnd().split('\r\n').slice(1);
    return lines.map((line) => line.split(',').slice(4, 7).join());
  };
  const [before, after] = issued.map(({ codigoGeneracion }) => [`"${codigoGeneracion}","${codigoGeneracion}","1"`]);
  expect([await codes(), await codes(present), await codes(` ${earlier.slice(0, 4)}-${earlier.slice(4)}`)]).toEqual([after, after, before]);
  expect(await codes(randomNit())).toEqual([]);
  await expect(codes('123')).rejects.toMatchObject({ details: [{ path: 'nit' }] });
});
