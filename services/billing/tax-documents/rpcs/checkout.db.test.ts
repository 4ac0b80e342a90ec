// Checkouts against the simulated authority: what is issued, numbered, refused, and what happens when nobody answers.
import { randomUUID } from 'node:crypto';
import { inTenant } from '@clinic/lib/db/db.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { asAdmin, asUser } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CREDIT, type Desk, INVOICE, ISSUER, openDesk, PASSWORD, PATIENT, randomNit, TAXPAYER } from '../../testing/tax-office.ts';
import { issue } from '../issue-document.ts';
import { readyIssuer } from '../get-issuer.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.stop());
beforeEach(() => desk.authority.mood('answers'));

const FIRST = { description: 'Consulta', quantity: 1, unitPrice: 113 };
const CASH = { condition: 'cash' as const, methods: [{ code: '01', amount: 113, reference: null }], term: null };

const reason = (sent: Promise<unknown>) =>
  sent.then(
    () => 'nothing',
    (error: { reason: string }) => error.reason,
  );

describe('a checkout', () => {
  test('is signed, sealed and shown', async () => {
    const clinic = await desk.clinic();
    const shown = await desk.documents.checkout({ ...INVOICE, patientId: PATIENT, notes: 'Gracias' }, clinic.user());
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
    expect(await desk.documents.getTaxDocument({ id: shown.id }, clinic.user())).toEqual(shown);
    const other = await desk.clinic();
    expect(await reason(desk.documents.getTaxDocument({ id: shown.id }, other.user()))).toBe('NOT_FOUND');
    const { documents } = await desk.authority.state();
    expect(documents.find(({ code }) => code === shown.codigoGeneracion)?.seal).toBe(shown.selloRecibido);
  });

  test('of a crédito fiscal withholds from whoever is no large taxpayer', async () => {
    const clinic = await desk.clinic();
    const plain = await desk.documents.checkout(CREDIT, clinic.user());
    expect(plain).toMatchObject({ type: 'credit_fiscal', status: 'processed', total: 11300n, taxes: 1300n, withheld: 0n });
    const large = { ...CREDIT, receiver: { ...TAXPAYER, isLargeTaxpayer: true }, payment: { methods: [{ code: '05', amount: 112, reference: 'T-1' }] } };
    expect(await desk.documents.checkout(large, clinic.user())).toMatchObject({ status: 'processed', total: 11300n, withheld: 100n, toPay: 11200n });
    const issuer = await desk.clinic(randomNit(), { isLargeTaxpayer: true });
    expect(await desk.documents.checkout({ ...large, payment: INVOICE.payment }, issuer.user())).toMatchObject({ withheld: 0n, toPay: 11300n });
  });

  test('has the schemas of 2026 from the cut-over on', async () => {
    const clinic = await desk.clinic();
    const version = async () =>
      ((await desk.documents.checkout(CREDIT, clinic.user())).document as { identificacion: { version: number } }).identificacion.version;
    expect(await version()).toBe(3);
    const before = desk.clock.now();
    try {
      desk.clock.set(new Date('2026-12-01T05:59:59Z'));
      expect(await version()).toBe(3);
      desk.clock.set(new Date('2026-12-01T06:00:00Z'));
      expect(await version()).toBe(4);
    } finally {
      desk.clock.set(before);
    }
  });

  test('needs issuer, user and certificate', async () => {
    const id = randomUUID();
    const nit = randomNit();
    const checkout = () => reason(desk.documents.checkout(INVOICE, asUser(id)));
    expect(await checkout()).toBe('DTE_NOT_CONFIGURED');
    const { provider, ...without } = ISSUER;
    await desk.issuers.setDteIssuer({ ...without, nit }, asAdmin(id));
    await desk.issuers.setDteCertificate({ certificate: await desk.authority.certificate(nit), password: PASSWORD }, asAdmin(id));
    expect(await checkout()).toBe('DTE_NOT_CONFIGURED');
    expect(await desk.issuers.setDteIssuer({ ...ISSUER, provider, nit }, asAdmin(id))).toMatchObject({ ready: true, hasProvider: true, certificateNit: nit });
    expect(await checkout()).toBe('nothing');
    expect(await reason(desk.issuers.getDteIssuer({}, asUser(id)))).toBe('FORBIDDEN');
  });

  test('takes the receiver from the tax profile of the patient', async () => {
    const clinic = await desk.clinic();
    const user = clinic.user();
    expect(await desk.receivers.getTaxProfile({ id: PATIENT }, user)).toMatchObject({ name: 'Luis Pérez' });
    expect(await reason(desk.receivers.setTaxProfile({ id: PATIENT, documentType: '13', documentNumber: '01234567-9' }, user))).toBe('VALIDATION_ERROR');
    await desk.receivers.setTaxProfile({ id: PATIENT, documentType: '13', documentNumber: '01234567-8', email: 'luis@example.com' }, user);
    expect(await desk.receivers.getTaxProfile({ id: PATIENT }, user)).toMatchObject({ name: 'Luis Pérez', documentNumber: '012345678' });
    const shown = await desk.documents.checkout({ ...INVOICE, appointmentId: randomUUID() }, user);
    expect(shown.document).toMatchObject({ receptor: { tipoDocumento: '13', numDocumento: '01234567-8', nombre: 'Luis Pérez', correo: 'luis@example.com' } });
    expect(await reason(desk.receivers.getTaxProfile({ id: randomUUID() }, user))).toBe('NOT_FOUND');
    const [{ sealed }] = await desk.look('select profile_sealed as sealed from dte_tax_profiles where clinic_id = $1', [clinic.id]);
    expect(sealed.includes('Luis')).toBe(false);
  });

  test('that is wrong takes no number', async () => {
    const clinic = await desk.clinic();
    const wrong: object[] = [
      { type: 'credit_note' },
      { items: [] },
      { payment: { methods: [{ code: '01', amount: 112.99 }] } },
      { payment: { condition: 'credit', methods: [] } },
      { type: 'credit_fiscal' },
      { receiver: { name: 'Ana', documentType: '13', documentNumber: '000000000' } },
      { items: [{ ...INVOICE.items[0], unitPrice: 1095 }], payment: { methods: [{ code: '01', amount: 1095 }] } },
      { pointOfSale: { establishment: 'S001', code: 'P001' } },
      { patientId: 'no-uuid' },
    ];
    for (const change of wrong) expect(await reason(desk.documents.checkout({ ...INVOICE, ...change }, clinic.user()))).toBe('VALIDATION_ERROR');
    expect((await desk.documents.checkout(INVOICE, clinic.user())).numeroControl).toMatch(/0001$/);
  });

  test('with a key happens once, however often and at once it comes', async () => {
    const clinic = await desk.clinic();
    const key = randomUUID();
    const all = await Promise.all(Array.from({ length: 5 }, () => desk.documents.checkout(INVOICE, clinic.user(key))));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(all.map(({ status }) => status)).toEqual(Array(5).fill('processed'));
    expect((await desk.documents.listTaxDocuments({}, clinic.user())).total).toBe(1);
    expect(await reason(desk.documents.checkout({ ...INVOICE, notes: 'otra' }, clinic.user(key)))).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});

describe('numbers', () => {
  test('have neither gaps nor doubles when 50 race', async () => {
    const clinic = await desk.clinic(randomNit(), {
      pointsOfSale: [
        { establishment: 'M001', code: 'P001' },
        { establishment: 'S002', code: 'P007' },
      ],
    });
    const branch = { pointOfSale: { establishment: 'S002', code: 'P007' } };
    const orders = Array.from({ length: 50 }, (_, n) =>
      n % 10 === 9 ? { ...INVOICE, items: [] } : n % 3 === 0 ? { ...INVOICE, ...branch } : n % 3 === 1 ? CREDIT : INVOICE,
    );
    // Whoever gets no answer on a busy machine asks again under the same key, as a client does.
    const ask = async (order: object, user = clinic.user(randomUUID()), left = 5): Promise<{ numeroControl: string }> =>
      desk.documents.checkout(order, user).catch((error) => {
        if (error.reason === 'VALIDATION_ERROR' || left === 0) throw error;
        return ask(order, user, left - 1);
      });
    const settled = await Promise.allSettled(orders.map((order) => ask(order)));
    const numbers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value.numeroControl] : []));
    expect(numbers).toHaveLength(45);
    const series = Map.groupBy(numbers, (number) => number.slice(0, 15));
    expect(series.size).toBe(3);
    for (const [name, all] of series) expect(all.toSorted()).toEqual(all.map((_, n) => `${name}-${String(n + 1).padStart(15, '0')}`));
  });

  test('begin anew with the year, and belong to one clinic of a taxpayer', async () => {
    const clinic = await desk.clinic();
    await desk.documents.checkout(INVOICE, clinic.user());
    const before = desk.clock.now();
    try {
      desk.clock.set(new Date('2027-01-01T06:00:00Z'));
      expect(await desk.documents.checkout(INVOICE, clinic.user())).toMatchObject({ numeroControl: 'DTE-01-M001P001-000000000000001', status: 'processed' });
    } finally {
      desk.clock.set(before);
    }
    expect(await reason(desk.issuers.setDteIssuer({ ...ISSUER, nit: clinic.nit }, asAdmin(randomUUID())))).toBe('DTE_POINT_OF_SALE_TAKEN');
    const branch = { ...ISSUER, nit: clinic.nit, pointsOfSale: [{ establishment: 'S001', code: 'P001' }] };
    const other = asAdmin(randomUUID());
    expect(await reason(desk.issuers.setDteIssuer(branch, other))).toBe('nothing');
    // What has been counted at stays the clinic's when it moves on, and goes on where it was when it comes back; what has not is free.
    const moved = { ...ISSUER, nit: clinic.nit, pointsOfSale: [{ establishment: 'S009', code: 'P001' }] };
    expect(await desk.issuers.setDteIssuer(moved, asAdmin(clinic.id))).toMatchObject({ pointsOfSale: [{ establishment: 'S009', code: 'P001' }] });
    expect(await reason(desk.issuers.setDteIssuer({ ...ISSUER, nit: clinic.nit }, other))).toBe('DTE_POINT_OF_SALE_TAKEN');
    await desk.issuers.setDteIssuer({ ...ISSUER, nit: clinic.nit }, asAdmin(clinic.id));
    expect(await desk.documents.checkout(INVOICE, clinic.user())).toMatchObject({ numeroControl: 'DTE-01-M001P001-000000000000002' });
    expect(await reason(desk.issuers.setDteIssuer(moved, other))).toBe('nothing');
  });
});

describe('when the authority', () => {
  test('refuses, the document is kept, and goes through when it is made right', async () => {
    const clinic = await desk.clinic();
    await desk.authority.mood('refuses');
    const key = randomUUID();
    const refused = await desk.documents.checkout(INVOICE, clinic.user(key)).catch((error) => error);
    expect(refused).toMatchObject({
      reason: 'DTE_REJECTED',
      details: [{ message: 'RECHAZADO POR SIMULACION' }, { message: '[resumen.totalPagar] simulado' }, { path: 'document' }],
    });
    expect(await reason(desk.documents.checkout(INVOICE, clinic.user(key)))).toBe('DTE_REJECTED');
    const { documents } = await desk.documents.listTaxDocuments({ status: 'rejected' }, clinic.user());
    expect(documents).toHaveLength(1);
    await desk.authority.mood('answers');
    const { id = '', codigoGeneracion, numeroControl } = documents[0] ?? {};
    const items = [{ description: 'Limpieza', quantity: 2, unitPrice: 20 }];
    const corrected = await desk.documents.correctTaxDocument({ id, items, payment: { methods: [{ code: '01', amount: 40 }] } }, clinic.user());
    expect(corrected).toMatchObject({ status: 'processed', codigoGeneracion, numeroControl, total: 4000n });
    expect(await reason(desk.documents.correctTaxDocument({ id }, clinic.user()))).toBe('DTE_NOT_ALLOWED');
  });

  test('loses its answer, the document is found and not sent twice', async () => {
    const clinic = await desk.clinic();
    await desk.documents.checkout(INVOICE, clinic.user());
    await desk.authority.mood('lost', 1);
    const before = (await desk.authority.state()).calls['/fesv/recepciondte'] ?? 0;
    expect((await desk.documents.checkout(INVOICE, clinic.user())).status).toBe('processed');
    expect((await desk.authority.state()).calls['/fesv/recepciondte']).toBe(before + 1);
  });

  test('is slow once, it is asked and sent again', async () => {
    const clinic = await desk.clinic();
    await desk.documents.checkout(INVOICE, clinic.user());
    await desk.authority.mood('slow', 1);
    const shown = await desk.documents.checkout(INVOICE, clinic.user());
    expect(shown.status).toBe('processed');
  });

  test.each(['away', 'down', 'slow'])('is %s, it is handed a document three times at most, and asked before each repeat', async (mood) => {
    const clinic = await desk.clinic();
    await desk.documents.checkout(INVOICE, clinic.user());
    await desk.authority.mood(mood);
    const before = (await desk.authority.state()).calls;
    const shown = await desk.documents.checkout(INVOICE, clinic.user());
    // At once, unless the machine is so busy that the call had no time left and a job goes on.
    await waitFor(async () => (await desk.documents.getTaxDocument({ id: shown.id }, clinic.user())).status === 'contingency', 60_000);
    const { calls } = await desk.authority.state();
    const more = (path: string) => (calls[path] ?? 0) - (before[path] ?? 0);
    // One token serves the clinic: nobody signs in again.
    expect([more('/fesv/recepciondte'), more('/seguridad/auth')]).toEqual([3, 0]);
    expect(more('/fesv/recepcion/consultadte/')).toBeGreaterThanOrEqual(3);
  });

  test('refuses what was issued in contingency, it is corrected as such, for a day from then on', async () => {
    const clinic = await desk.clinic();
    const before = desk.clock.now();
    try {
      await desk.authority.mood('away');
      const [one, other] = [await desk.documents.checkout(INVOICE, clinic.user()), await desk.documents.checkout(INVOICE, clinic.user())];
      desk.clock.advance(30 * 3_600_000);
      await desk.authority.mood('refuses');
      for (const { id } of [one, other]) await desk.sweepUntil(id, 'rejected');
      await desk.authority.mood('answers');
      const corrected = await desk.documents.correctTaxDocument({ id: one.id, notes: 'Corregida' }, clinic.user());
      expect(corrected).toMatchObject({ status: 'processed', document: { identificacion: { tipoModelo: 2, tipoOperacion: 2, tipoContingencia: 1 } } });
      desk.clock.advance(24 * 3_600_000 + 1_000);
      expect(await reason(desk.documents.correctTaxDocument({ id: other.id }, clinic.user()))).toBe('DTE_NOT_ALLOWED');
    } finally {
      desk.clock.set(before);
    }
  });

  test('forgets its tokens, a new one is fetched', async () => {
    const clinic = await desk.clinic();
    await desk.documents.checkout(INVOICE, clinic.user());
    await desk.authority.forgetTokens();
    expect((await desk.documents.checkout(INVOICE, clinic.user())).status).toBe('processed');
  });

  test.each(['away', 'down'])('is %s, the document is issued in contingency and delivered later', async (mood) => {
    const clinic = await desk.clinic();
    await desk.authority.mood(mood);
    const sent = (await desk.authority.state()).calls['/seguridad/auth'] ?? 0;
    const invoice = await desk.documents.checkout(INVOICE, clinic.user());
    const credit = await desk.documents.checkout(CREDIT, clinic.user());
    expect((await desk.authority.state()).calls['/seguridad/auth']).toBeGreaterThan(sent);
    for (const shown of [invoice, credit]) {
      expect(shown.status).toBe('contingency');
      expect(shown.selloRecibido).toBeUndefined();
      expect(shown.document).toMatchObject({ identificacion: { tipoModelo: 2, tipoOperacion: 2, tipoContingencia: 1 } });
    }
    await desk.sweep();
    expect((await desk.documents.getTaxDocument({ id: invoice.id }, clinic.user())).status).toBe('contingency');
    await desk.authority.mood('answers');
    desk.clock.advance(3_600_000);
    for (const { id } of [invoice, credit]) await desk.sweepUntil(id, 'processed');
    for (const { id, jws } of [invoice, credit]) expect(await desk.documents.getTaxDocument({ id }, clinic.user())).toMatchObject({ status: 'processed', jws });
    const events = await desk.look("select status, seal from dte_events where clinic_id = $1 and kind = 'contingency'", [clinic.id]);
    expect(events).toMatchObject([{ status: 'accepted' }]);
    expect((await desk.authority.state()).documents.filter(({ contingency }) => contingency).length).toBeGreaterThanOrEqual(2);
    const [{ attempts }] = await desk.look('select attempts from dte_documents where id = $1', [invoice.id]);
    expect(attempts).toBe(1);
  });

  test('had the document all the while, what it has stands', async () => {
    const clinic = await desk.clinic();
    await desk.documents.checkout(INVOICE, clinic.user());
    // It takes the first one without an answer, and then is away until all attempts are made.
    await desk.authority.mood('lost', 1, 'away');
    const late = await desk.documents.checkout(INVOICE, clinic.user());
    expect(late).toMatchObject({ status: 'contingency', document: { identificacion: { tipoOperacion: 2 } } });
    await desk.authority.mood('answers');
    await desk.sweepUntil(late.id, 'processed');
    const shown = await desk.documents.getTaxDocument({ id: late.id }, clinic.user());
    expect(shown).toMatchObject({ status: 'processed', document: { identificacion: { tipoOperacion: 1 } } });
    const { documents } = await desk.authority.state();
    expect(documents.find(({ code }) => code === late.codigoGeneracion)).toMatchObject({ seal: shown.selloRecibido, contingency: false });
  });

  test('was never asked because the process died, the next sweep asks', async () => {
    const clinic = await desk.clinic();
    const order = { receiver: null, items: [{ ...FIRST, discount: 0, kind: 'service' as const }], payment: CASH, notes: null, of: null };
    const id = await inTenant(desk.app.db, clinic.id, async (tx) => {
      const caller = serviceCaller('billing', randomUUID());
      const asked = { kind: '01' as const, order, at: undefined, patientId: null, appointmentId: null, paymentId: null, relatedId: null };
      return issue(desk.app, tx, caller, await readyIssuer(desk.app, tx), asked);
    });
    await desk.sweep();
    expect((await desk.documents.getTaxDocument({ id }, clinic.user())).status).toBe('pending');
    desk.clock.advance(20_000);
    await desk.sweepUntil(id, 'processed');
    expect(await desk.documents.getTaxDocument({ id }, clinic.user())).toMatchObject({ status: 'processed', numeroControl: 'DTE-01-M001P001-000000000000001' });
  });

  test('knows no password, the document waits', async () => {
    const clinic = await desk.clinic();
    await desk.authority.mood('locked');
    const shown = await desk.documents.checkout(INVOICE, clinic.user());
    expect(shown.status).toBe('pending');
    await desk.authority.mood('answers');
    desk.clock.advance(120_000);
    await desk.sweepUntil(shown.id, 'processed');
  });
});

test('the certificate opens only with its password, and is kept sealed', async () => {
  const nit = randomNit();
  const id = randomUUID();
  const certificate = await desk.authority.certificate(nit);
  expect(await reason(desk.issuers.setDteCertificate({ certificate, password: PASSWORD }, asAdmin(id)))).toBe('NOT_FOUND');
  await desk.issuers.setDteIssuer({ ...ISSUER, nit }, asAdmin(id));
  for (const wrong of [
    { certificate, password: 'otra' },
    { certificate: certificate.replace(nit, randomNit()), password: PASSWORD },
    { certificate: '<no/>', password: PASSWORD },
  ])
    expect(await reason(desk.issuers.setDteCertificate(wrong, asAdmin(id)))).toBe('VALIDATION_ERROR');
  const other = await desk.authority.certificate(nit);
  const [, mixed = ''] = /<publicKey>.*?<encodied>(.*?)<\/encodied>/s.exec(other) ?? [];
  const crossed = certificate.replace(/(<publicKey>.*?<encodied>).*?(<\/encodied>)/s, `$1${mixed}$2`);
  expect(await reason(desk.issuers.setDteCertificate({ certificate: crossed, password: PASSWORD }, asAdmin(id)))).toBe('VALIDATION_ERROR');
  await desk.issuers.setDteCertificate({ certificate, password: PASSWORD }, asAdmin(id));
  const [, key = ''] = /<privateKey>.*?<encodied>(.*?)<\/encodied>/s.exec(certificate) ?? [];
  const [{ signing_sealed }] = await desk.look('select signing_sealed from dte_issuers where clinic_id = $1', [id]);
  expect(signing_sealed.includes(key.slice(0, 40))).toBe(false);
});

test('what is sealed never changes, and nothing is deleted', async () => {
  const clinic = await desk.clinic();
  const { id } = await desk.documents.checkout(INVOICE, clinic.user());
  for (const change of ["seal = 'X'", 'operation_cents = 1', "status = 'rejected'", "document_hash = '\\x00'", "code = 'X'", 'number = 99'])
    await expect(desk.look(`update dte_documents set ${change} where id = $1`, [id])).rejects.toThrow(/never changes/);
  await expect(desk.look('delete from dte_documents where id = $1', [id])).rejects.toThrow(/never deleted/);
});
