// Checkouts against the simulated authority: issuing, numbering, rejections, and an authority that does not answer.
import { randomUUID } from 'node:crypto';
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { asAdmin, asUser } from '@clinic/lib/testing/callers.ts';
import { textOfPdf } from '@clinic/lib/testing/pdf-text.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  CREDIT,
  INVOICE,
  ISSUER,
  PASSWORD,
  PATIENT,
  PAYMENT,
  randomNit,
  startTaxOffice,
  TAXPAYER,
  type TaxOffice,
  UNAVAILABLE,
  UNKNOWN_APPOINTMENT,
} from '../../testing/tax-office.ts';
import { getReadyIssuer } from '../get-issuer.ts';
import { issueDocument } from '../issue-document.ts';
import { listInterrupted } from '../sql/unsettled-documents.sql.ts';

let office: TaxOffice;
beforeAll(async () => {
  office = await startTaxOffice();
});
afterAll(() => office.stop());
beforeEach(() => office.authority.mood('answers'));

const FIRST = { description: 'Consulta', quantity: 1, unitPrice: 113 };
const CASH = { condition: 'cash' as const, methods: [{ code: '01', amount: 113, reference: null }], term: null };

const reason = (sent: Promise<unknown>) =>
  sent.then(
    () => 'nothing',
    (error: { reason: string }) => error.reason,
  );

describe('a checkout', () => {
  test('is signed, sealed and returned', async () => {
    const clinic = await office.clinic();
    const shown = await office.documents.checkout({ ...INVOICE, patientId: PATIENT, notes: 'Gracias' }, clinic.user());
    expect(shown).toMatchObject({
      type: 'invoice',
      status: 'processed',
      total: 11300n,
      taxes: 1300n,
      toPay: 11300n,
      issuedOn: '2026-11-20',
      environment: 'test',
      patientId: PATIENT,
    });
    expect(shown.numeroControl).toBe('DTE-01-M001P001-000000000000001');
    expect(shown.selloRecibido).toMatch(/^[A-Z0-9]{40}$/);
    expect(shown.qrUrl).toBe(`https://admin.factura.gob.sv/consultaPublica?ambiente=00&codGen=${shown.codigoGeneracion}&fechaEmi=2026-11-20`);
    const jws = shown.jws ?? '';
    expect(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()).toBe('{"alg":"RS512"}');
    expect(JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString())).toEqual(shown.document);
    expect(await office.documents.getTaxDocument({ id: shown.id }, clinic.user())).toEqual(shown);
    const other = await office.clinic();
    expect(await reason(office.documents.getTaxDocument({ id: shown.id }, other.user()))).toBe('NOT_FOUND');
    const { documents } = await office.authority.state();
    expect(documents.find(({ code }) => code === shown.codigoGeneracion)?.seal).toBe(shown.selloRecibido);
  });

  test('of a crédito fiscal for a large taxpayer withholds, unless the issuer is one too', async () => {
    const clinic = await office.clinic();
    const plain = await office.documents.checkout(CREDIT, clinic.user());
    expect(plain).toMatchObject({ type: 'credit_fiscal', status: 'processed', total: 11300n, taxes: 1300n, withheld: 0n });
    const large = { ...CREDIT, receiver: { ...TAXPAYER, isLargeTaxpayer: true }, payment: { methods: [{ code: '05', amount: 112, reference: 'T-1' }] } };
    expect(await office.documents.checkout(large, clinic.user())).toMatchObject({ status: 'processed', total: 11300n, withheld: 100n, toPay: 11200n });
    const issuer = await office.clinic(randomNit(), { isLargeTaxpayer: true });
    expect(await office.documents.checkout({ ...large, payment: INVOICE.payment }, issuer.user())).toMatchObject({ withheld: 0n, toPay: 11300n });
  });

  test('has the current schemas from the cut-over on', async () => {
    const clinic = await office.clinic();
    const version = async () =>
      ((await office.documents.checkout(CREDIT, clinic.user())).document as { identificacion: { version: number } }).identificacion.version;
    expect(await version()).toBe(3);
    const before = office.clock.now();
    try {
      office.clock.set(new Date('2026-12-01T05:59:59Z'));
      expect(await version()).toBe(3);
      office.clock.set(new Date('2026-12-01T06:00:00Z'));
      expect(await version()).toBe(4);
    } finally {
      office.clock.set(before);
    }
  });

  test('needs issuer, user and certificate', async () => {
    const id = randomUUID();
    const nit = randomNit();
    const checkout = () => reason(office.documents.checkout(INVOICE, asUser(id)));
    expect(await checkout()).toBe('DTE_NOT_CONFIGURED');
    const { provider, ...without } = ISSUER;
    await office.issuers.setDteIssuer({ ...without, nit }, asAdmin(id));
    await office.issuers.setDteCertificate({ certificate: await office.authority.certificate(nit), password: PASSWORD }, asAdmin(id));
    expect(await checkout()).toBe('DTE_NOT_CONFIGURED');
    expect(await office.issuers.setDteIssuer({ ...ISSUER, provider, nit }, asAdmin(id))).toMatchObject({ ready: true, hasProvider: true, certificateNit: nit });
    expect(await checkout()).toBe('nothing');
    expect(await reason(office.issuers.getDteIssuer({}, asUser(id)))).toBe('FORBIDDEN');
  });

  test('takes the receiver from the tax profile of the patient, or only the name of a patient without one', async () => {
    const clinic = await office.clinic();
    const user = clinic.user();
    for (const by of [{ patientId: PATIENT }, { appointmentId: randomUUID() }]) {
      const { id, document, status } = await office.documents.checkout({ ...INVOICE, ...by }, user);
      expect([status, document]).toMatchObject(['processed', { receptor: { nombre: 'Luis Pérez', tipoDocumento: null, numDocumento: null } }]);
      expect(textOfPdf((await office.documents.getTaxDocumentPdf({ id }, user)).content)).toContain('Luis Pérez');
    }
    expect((await office.documents.checkout(INVOICE, user)).document).toMatchObject({ receptor: null });
    expect(await office.receivers.getTaxProfile({ id: PATIENT }, user)).toMatchObject({ name: 'Luis Pérez' });
    expect(await reason(office.receivers.setTaxProfile({ id: PATIENT, documentType: '13', documentNumber: '01234567-9' }, user))).toBe('VALIDATION_ERROR');
    await office.receivers.setTaxProfile({ id: PATIENT, documentType: '13', documentNumber: '01234567-8', email: 'luis@example.com' }, user);
    expect(await office.receivers.getTaxProfile({ id: PATIENT }, user)).toMatchObject({ name: 'Luis Pérez', documentNumber: '012345678' });
    const shown = await office.documents.checkout({ ...INVOICE, appointmentId: randomUUID() }, user);
    expect(shown.document).toMatchObject({ receptor: { tipoDocumento: '13', numDocumento: '01234567-8', nombre: 'Luis Pérez', correo: 'luis@example.com' } });
    expect(await reason(office.receivers.getTaxProfile({ id: randomUUID() }, user))).toBe('NOT_FOUND');
    const [{ sealed }] = await office.query('select profile_sealed as sealed from dte_tax_profiles where clinic_id = $1', [clinic.id]);
    expect(sealed.includes('Luis')).toBe(false);
  });

  test('that is invalid takes no number', async () => {
    const clinic = await office.clinic();
    const invalid: object[] = [
      { type: 'credit_note' },
      { items: [] },
      { items: [{ ...INVOICE.items[0], discount: 113 }], payment: { methods: [] } },
      { payment: { methods: [{ code: '01', amount: 113, reference: 'V-1' }] } },
      { payment: { methods: [{ code: '01', amount: 112.99 }] } },
      { payment: { condition: 'credit', methods: [] } },
      { type: 'credit_fiscal' },
      { receiver: { name: 'Ana', documentType: '13', documentNumber: '000000000' } },
      { items: [{ ...INVOICE.items[0], unitPrice: 1095 }], payment: { methods: [{ code: '01', amount: 1095 }] } },
      { pointOfSale: { establishment: 'S001', code: 'P001' } },
      { patientId: 'no-uuid' },
    ];
    for (const change of invalid) expect(await reason(office.documents.checkout({ ...INVOICE, ...change }, clinic.user()))).toBe('VALIDATION_ERROR');
    expect((await office.documents.checkout(INVOICE, clinic.user())).numeroControl).toMatch(/0001$/);
  });

  test.each([
    ['patientId', randomUUID(), 'Patient not found'],
    ['appointmentId', UNKNOWN_APPOINTMENT, 'Appointment not found'],
    ['paymentId', randomUUID(), 'Payment not found'],
  ])('whose %s names no record of the clinic is refused as not found, with the field, and takes no number', async (path, id, message) => {
    const clinic = await office.clinic();
    const key = randomUUID();
    const missing = { reason: 'NOT_FOUND', message, details: [{ path, message }] };
    for (const user of [clinic.user(key), clinic.user(key), clinic.user()])
      await expect(office.documents.checkout({ ...INVOICE, [path]: id }, user)).rejects.toMatchObject(missing);
    // The key of a refused request can be used again.
    const paid = { ...INVOICE, paymentId: PAYMENT };
    const shown = await office.documents.checkout(paid, clinic.user(key));
    expect(shown).toMatchObject({ paymentId: PAYMENT, numeroControl: 'DTE-01-M001P001-000000000000001' });
    expect((await office.documents.checkout(paid, clinic.user(key))).id).toBe(shown.id);
  });

  test('with an idempotency key happens once, also when it is repeated concurrently', async () => {
    const clinic = await office.clinic();
    const key = randomUUID();
    const all = await Promise.all(Array.from({ length: 5 }, () => office.documents.checkout(INVOICE, clinic.user(key))));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(all.map(({ status }) => status)).toEqual(Array(5).fill('processed'));
    expect((await office.documents.listTaxDocuments({}, clinic.user())).total).toBe(1);
    expect(await reason(office.documents.checkout({ ...INVOICE, notes: 'otra' }, clinic.user(key)))).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});

describe('numbers', () => {
  test('have neither gaps nor duplicates under 50 concurrent checkouts', async () => {
    const clinic = await office.clinic(randomNit(), {
      pointsOfSale: [
        { establishment: 'M001', code: 'P001' },
        { establishment: 'S002', code: 'P007' },
      ],
    });
    const branch = { pointOfSale: { establishment: 'S002', code: 'P007' } };
    const orders = Array.from({ length: 50 }, (_, n) =>
      n % 10 === 9 ? { ...INVOICE, items: [] } : n % 3 === 0 ? { ...INVOICE, ...branch } : n % 3 === 1 ? CREDIT : INVOICE,
    );
    // A checkout without an answer on a busy machine is repeated under the same key, as a client does.
    const checkout = async (order: object, user = clinic.user(randomUUID()), left = 5): Promise<{ numeroControl: string }> =>
      office.documents.checkout(order, user).catch((error) => {
        if (error.reason === 'VALIDATION_ERROR' || left === 0) throw error;
        return checkout(order, user, left - 1);
      });
    const settled = await Promise.allSettled(orders.map((order) => checkout(order)));
    const numbers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value.numeroControl] : []));
    expect(numbers).toHaveLength(45);
    const series = Map.groupBy(numbers, (number) => number.slice(0, 15));
    expect(series.size).toBe(3);
    for (const [name, all] of series) expect(all.toSorted()).toEqual(all.map((_, n) => `${name}-${String(n + 1).padStart(15, '0')}`));
  });

  test('start again each year, and belong to one clinic of a taxpayer', async () => {
    const clinic = await office.clinic();
    await office.documents.checkout(INVOICE, clinic.user());
    const before = office.clock.now();
    try {
      office.clock.set(new Date('2027-01-01T06:00:00Z'));
      expect(await office.documents.checkout(INVOICE, clinic.user())).toMatchObject({ numeroControl: 'DTE-01-M001P001-000000000000001', status: 'processed' });
    } finally {
      office.clock.set(before);
    }
    expect(await reason(office.issuers.setDteIssuer({ ...ISSUER, nit: clinic.nit }, asAdmin(randomUUID())))).toBe('DTE_POINT_OF_SALE_TAKEN');
    const branch = { ...ISSUER, nit: clinic.nit, pointsOfSale: [{ establishment: 'S001', code: 'P001' }] };
    const other = asAdmin(randomUUID());
    expect(await reason(office.issuers.setDteIssuer(branch, other))).toBe('nothing');
    // A point of sale that has issued documents remains reserved for the clinic, and continues its numbers when it is used again; others are released.
    const moved = { ...ISSUER, nit: clinic.nit, pointsOfSale: [{ establishment: 'S009', code: 'P001' }] };
    expect(await office.issuers.setDteIssuer(moved, asAdmin(clinic.id))).toMatchObject({ pointsOfSale: [{ establishment: 'S009', code: 'P001' }] });
    expect(await reason(office.issuers.setDteIssuer({ ...ISSUER, nit: clinic.nit }, other))).toBe('DTE_POINT_OF_SALE_TAKEN');
    await office.issuers.setDteIssuer({ ...ISSUER, nit: clinic.nit }, asAdmin(clinic.id));
    expect(await office.documents.checkout(INVOICE, clinic.user())).toMatchObject({ numeroControl: 'DTE-01-M001P001-000000000000002' });
    expect(await reason(office.issuers.setDteIssuer(moved, other))).toBe('nothing');
  });
});

describe('with a timeout of one second, when the authority', () => {
  let office: TaxOffice;
  beforeAll(async () => {
    office = await startTaxOffice(() => ({ DTE_TIMEOUT_MS: '1000' }));
  });
  beforeEach(() => office.authority.mood('answers'));
  afterAll(() => office.stop());

  test('has the document but its answer is lost, the document is not sent twice', async () => {
    const clinic = await office.clinic();
    await office.documents.checkout(INVOICE, clinic.user());
    await office.authority.mood('lost', 1);
    const before = (await office.authority.state()).calls['/fesv/recepciondte'] ?? 0;
    expect((await office.documents.checkout(INVOICE, clinic.user())).status).toBe('processed');
    expect((await office.authority.state()).calls['/fesv/recepciondte']).toBe(before + 1);
  });

  test('is slow once, it is queried and the document sent again', async () => {
    const clinic = await office.clinic();
    await office.documents.checkout(INVOICE, clinic.user());
    await office.authority.mood('slow', 1);
    const shown = await office.documents.checkout(INVOICE, clinic.user());
    expect(shown.status).toBe('processed');
  });

  test.each([UNAVAILABLE, 'down', 'slow'])('is %s, a document is sent three times at most, with a query before each repetition', async (mood) => {
    const clinic = await office.clinic();
    await office.documents.checkout(INVOICE, clinic.user());
    await office.authority.mood(mood);
    const before = (await office.authority.state()).calls;
    const shown = await office.documents.checkout(INVOICE, clinic.user());
    // At once, unless the call had no time left on a busy machine and a job continues.
    await waitFor(async () => (await office.documents.getTaxDocument({ id: shown.id }, clinic.user())).status === 'contingency');
    const { calls } = await office.authority.state();
    const more = (path: string) => (calls[path] ?? 0) - (before[path] ?? 0);
    // The token is reused.
    expect([more('/fesv/recepciondte'), more('/seguridad/auth')]).toEqual([3, 0]);
    expect(more('/fesv/recepcion/consultadte/')).toBeGreaterThanOrEqual(3);
  });
});

describe('when the authority', () => {
  test('rejects a document, it is stored and accepted once it is corrected', async () => {
    const clinic = await office.clinic();
    await office.authority.mood('refuses');
    const key = randomUUID();
    const rejected = await office.documents.checkout(INVOICE, clinic.user(key)).catch((error) => error);
    expect(rejected).toMatchObject({
      reason: 'DTE_REJECTED',
      details: [{ message: 'RECHAZADO POR SIMULACION' }, { message: '[resumen.totalPagar] simulado' }, { path: 'document' }],
    });
    expect(await reason(office.documents.checkout(INVOICE, clinic.user(key)))).toBe('DTE_REJECTED');
    const { documents } = await office.documents.listTaxDocuments({ status: 'rejected' }, clinic.user());
    expect(documents).toHaveLength(1);
    await office.authority.mood('answers');
    const { id = '', codigoGeneracion, numeroControl } = documents[0] ?? {};
    const items = [{ description: 'Limpieza', quantity: 2, unitPrice: 20 }];
    const corrected = await office.documents.correctTaxDocument({ id, items, payment: { methods: [{ code: '01', amount: 40 }] } }, clinic.user());
    expect(corrected).toMatchObject({ status: 'processed', codigoGeneracion, numeroControl, total: 4000n });
    expect(await reason(office.documents.correctTaxDocument({ id }, clinic.user()))).toBe('DTE_NOT_ALLOWED');
  });

  test('rejects a document issued in contingency, it is corrected as such within 24 hours of the rejection', async () => {
    const clinic = await office.clinic();
    const before = office.clock.now();
    try {
      await office.authority.mood(UNAVAILABLE);
      const [one, other] = [await office.documents.checkout(INVOICE, clinic.user()), await office.documents.checkout(INVOICE, clinic.user())];
      office.clock.advance(30 * 3_600_000);
      await office.authority.mood('refuses');
      for (const { id } of [one, other]) await office.sweepUntil(id, 'rejected');
      await office.authority.mood('answers');
      const corrected = await office.documents.correctTaxDocument({ id: one.id, notes: 'Corregida' }, clinic.user());
      expect(corrected).toMatchObject({ status: 'processed', document: { identificacion: { tipoModelo: 2, tipoOperacion: 2, tipoContingencia: 1 } } });
      office.clock.advance(24 * 3_600_000 + 1_000);
      expect(await reason(office.documents.correctTaxDocument({ id: other.id }, clinic.user()))).toBe('DTE_NOT_ALLOWED');
    } finally {
      office.clock.set(before);
    }
  });

  test('no longer accepts its tokens, a new one is fetched', async () => {
    const clinic = await office.clinic();
    await office.documents.checkout(INVOICE, clinic.user());
    await office.authority.forgetTokens();
    expect((await office.documents.checkout(INVOICE, clinic.user())).status).toBe('processed');
  });

  test.each([UNAVAILABLE, 'down'])('is %s, the document is issued in contingency and handed over later', async (mood) => {
    const clinic = await office.clinic();
    await office.authority.mood(mood);
    const sent = (await office.authority.state()).calls['/seguridad/auth'] ?? 0;
    const invoice = await office.documents.checkout(INVOICE, clinic.user());
    const credit = await office.documents.checkout(CREDIT, clinic.user());
    expect((await office.authority.state()).calls['/seguridad/auth']).toBeGreaterThan(sent);
    for (const shown of [invoice, credit]) {
      expect(shown.status).toBe('contingency');
      expect(shown.selloRecibido).toBeUndefined();
      expect(shown.document).toMatchObject({ identificacion: { tipoModelo: 2, tipoOperacion: 2, tipoContingencia: 1 } });
    }
    await office.sweep();
    expect((await office.documents.getTaxDocument({ id: invoice.id }, clinic.user())).status).toBe('contingency');
    await office.authority.mood('answers');
    office.clock.advance(3_600_000);
    for (const { id } of [invoice, credit]) await office.sweepUntil(id, 'processed');
    for (const { id, jws } of [invoice, credit])
      expect(await office.documents.getTaxDocument({ id }, clinic.user())).toMatchObject({ status: 'processed', jws });
    const events = await office.query("select status, seal from dte_events where clinic_id = $1 and kind = 'contingency'", [clinic.id]);
    expect([1, 2]).toContain(events.length); // two where the sweep of each minute came between the documents
    for (const event of events) expect(event).toMatchObject({ status: 'accepted' });
    expect((await office.authority.state()).documents.filter(({ contingency }) => contingency).length).toBeGreaterThanOrEqual(2);
    const [{ attempts }] = await office.query('select attempts from dte_documents where id = $1', [invoice.id]);
    expect(attempts).toBe(1);
  });

  test.each([
    ['does not answer', 'slow', 60_000],
    ['is slow', 'slow', 4_000],
    ['closes connections', UNAVAILABLE, 0],
    ['is out of service', 'down', 0],
  ])('%s, the first document of a process is issued in contingency within the time of the call', async (_what, mood, slowMs) => {
    const fresh = await startTaxOffice();
    try {
      const clinic = await fresh.clinic();
      await fresh.authority.mood(mood, undefined, undefined, slowMs);
      expect(await fresh.documents.checkout(INVOICE, clinic.user())).toMatchObject({ status: 'contingency' });
    } finally {
      await fresh.stop();
    }
  });

  test('had received a document before its contingency, the earlier version is valid', async () => {
    const clinic = await office.clinic();
    await office.documents.checkout(INVOICE, clinic.user());
    // It receives the first attempt without answering, and is then unavailable until all attempts are made.
    await office.authority.mood('lost', 1, UNAVAILABLE);
    const late = await office.documents.checkout(INVOICE, clinic.user());
    expect(late).toMatchObject({ status: 'contingency', document: { identificacion: { tipoOperacion: 2 } } });
    await office.authority.mood('answers');
    await office.sweepUntil(late.id, 'processed');
    const shown = await office.documents.getTaxDocument({ id: late.id }, clinic.user());
    expect(shown).toMatchObject({ status: 'processed', document: { identificacion: { tipoOperacion: 1 } } });
    const { documents } = await office.authority.state();
    expect(documents.find(({ code }) => code === late.codigoGeneracion)).toMatchObject({ seal: shown.selloRecibido, contingency: false });
  });

  /** Issues a factura whose handover never begins. */
  const issueOnly = (clinicId: string) =>
    inTenant(office.app.db, clinicId, async (tx) => {
      const order = { receiver: null, items: [{ ...FIRST, discount: 0, kind: 'service' as const }], payment: CASH, notes: null, of: null };
      const caller = serviceCaller('billing', randomUUID());
      const document = { kind: '01' as const, order, pointOfSale: undefined, patientId: null, appointmentId: null, paymentId: null, relatedId: null };
      return issueDocument(office.app, tx, caller, await getReadyIssuer(office.app, tx), document);
    });

  test('was never called because the process died, the next sweep hands the document over', async () => {
    const clinic = await office.clinic();
    const id = await issueOnly(clinic.id);
    await office.sweep();
    expect((await office.documents.getTaxDocument({ id }, clinic.user())).status).toBe('pending');
    office.clock.advance(20_000);
    await office.sweepUntil(id, 'processed');
    expect(await office.documents.getTaxDocument({ id }, clinic.user())).toMatchObject({
      status: 'processed',
      numeroControl: 'DTE-01-M001P001-000000000000001',
    });
  });

  test('was never called for many documents of a clinic, they displace those of no other clinic', async () => {
    const [many, one] = [await office.clinic(), await office.clinic()];
    for (let count = 0; count < 20; count += 1) await issueOnly(many.id);
    office.clock.advance(1_000);
    const id = await issueOnly(one.id);
    const later = new Date(office.clock.now().getTime() + 20_000);
    const interrupted = await asSystem(office.app.db, (tx) => listInterrupted(tx, later, 15));
    expect(interrupted).toContainEqual({ clinic_id: one.id, id });
    expect(interrupted.filter(({ clinic_id }) => clinic_id === many.id).length).toBeGreaterThan(5);
  });

  test('refuses the password, the document stays pending and says why', async () => {
    const clinic = await office.clinic();
    await office.authority.mood('locked');
    const shown = await office.documents.checkout(INVOICE, clinic.user());
    const observations = ['El Ministerio de Hacienda no acepta el usuario o la contraseña del emisor'];
    expect(shown).toMatchObject({ status: 'pending', observations });
    await office.authority.mood('answers');
    office.clock.advance(120_000);
    await office.sweepUntil(shown.id, 'processed');
    expect((await office.documents.getTaxDocument({ id: shown.id }, clinic.user())).observations).toEqual([]);
  });
});

test('a certificate needs its password and two matching keys, and its private key is stored encrypted', async () => {
  const nit = randomNit();
  const id = randomUUID();
  const certificate = await office.authority.certificate(nit);
  expect(await reason(office.issuers.setDteCertificate({ certificate, password: PASSWORD }, asAdmin(id)))).toBe('NOT_FOUND');
  await office.issuers.setDteIssuer({ ...ISSUER, nit }, asAdmin(id));
  for (const wrong of [
    { certificate, password: 'otra' },
    { certificate: certificate.replace(nit, randomNit()), password: PASSWORD },
    { certificate: '<no/>', password: PASSWORD },
  ])
    expect(await reason(office.issuers.setDteCertificate(wrong, asAdmin(id)))).toBe('VALIDATION_ERROR');
  const other = await office.authority.certificate(nit);
  const [, mixed = ''] = /<publicKey>.*?<encodied>(.*?)<\/encodied>/s.exec(other) ?? [];
  const crossed = certificate.replace(/(<publicKey>.*?<encodied>).*?(<\/encodied>)/s, `$1${mixed}$2`);
  expect(await reason(office.issuers.setDteCertificate({ certificate: crossed, password: PASSWORD }, asAdmin(id)))).toBe('VALIDATION_ERROR');
  await office.issuers.setDteCertificate({ certificate, password: PASSWORD }, asAdmin(id));
  const [, key = ''] = /<privateKey>.*?<encodied>(.*?)<\/encodied>/s.exec(certificate) ?? [];
  const [{ signing_sealed }] = await office.query('select signing_sealed from dte_issuers where clinic_id = $1', [id]);
  expect(signing_sealed.includes(key.slice(0, 40))).toBe(false);
});

test('a sealed document never changes and is never deleted', async () => {
  const clinic = await office.clinic();
  const { id } = await office.documents.checkout(INVOICE, clinic.user());
  for (const change of ["seal = 'X'", 'operation_cents = 1', "status = 'rejected'", "document_hash = '\\x00'", "code = 'X'", 'number = 99'])
    await expect(office.query(`update dte_documents set ${change} where id = $1`, [id])).rejects.toThrow(/never changes/);
  await expect(office.query('delete from dte_documents where id = $1', [id])).rejects.toThrow(/never deleted/);
});
