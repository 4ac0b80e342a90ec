// Checkouts against the simulated authority: issuing and numbering, and what they need: issuer, certificate, tax profiles.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { asAdmin, asUser } from '@clinic/lib/testing/callers.ts';
import { textOfPdf } from '@clinic/lib/testing/pdf-text.ts';
import { describe, expect, test } from '@jest/globals';
import {
  DEPENDANT,
  MERGED_PATIENT,
  OTHER_PATIENT,
  PASSWORD,
  PATIENT,
  PAYMENT,
  randomNit,
  reason,
  UNKNOWN_APPOINTMENT,
  useTaxOffice,
  VOIDED_PAYMENT,
} from '../../testing/tax-office.ts';
import { CREDIT, INVOICE, ISSUER, TAXPAYER } from '../../testing/tax-orders.ts';

const office = await useTaxOffice();

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
    for (const id of [PATIENT, randomUUID()])
      expect(await reason(office.receivers.setTaxProfile({ id, documentType: '13', documentNumber: '01234567-9' }, user))).toBe('VALIDATION_ERROR');
    await office.receivers.setTaxProfile({ id: PATIENT, documentType: '13', documentNumber: '01234567-8', email: 'luis@example.com' }, user);
    expect(await office.receivers.getTaxProfile({ id: PATIENT }, user)).toMatchObject({ name: 'Luis Pérez', documentNumber: '012345678' });
    const shown = await office.documents.checkout({ ...INVOICE, appointmentId: randomUUID() }, user);
    expect(await office.receivers.setTaxProfile({ id: PATIENT, name: 'Luis\r\nPérez', tradeName: 'a\tb' }, user)).toMatchObject({
      name: 'Luis Pérez',
      tradeName: 'a b',
    });
    expect(shown.document).toMatchObject({ receptor: { tipoDocumento: '13', numDocumento: '01234567-8', nombre: 'Luis Pérez', correo: 'luis@example.com' } });
    expect(await reason(office.receivers.getTaxProfile({ id: randomUUID() }, user))).toBe('NOT_FOUND');
    const [{ sealed }] = await office.query('select profile_sealed as sealed from dte_tax_profiles where clinic_id = $1', [clinic.id]);
    expect(sealed.includes('Luis')).toBe(false);
  });

  test('has the present name of a patient who was renamed, unless the tax profile has a name of its own', async () => {
    const { user } = await office.clinic();
    const profile = { id: PATIENT, documentType: '13', documentNumber: '01234567-8' };
    const name = async () =>
      ((await office.documents.checkout({ ...INVOICE, patientId: PATIENT }, user())).document as { receptor: { nombre: string } }).receptor.nombre;
    await office.receivers.setTaxProfile(profile, user());
    try {
      office.patient.fullName = 'Luisa Pérez';
      expect([await name(), (await office.receivers.getTaxProfile({ id: PATIENT }, user())).name]).toEqual(['Luisa Pérez', 'Luisa Pérez']);
      await office.receivers.setTaxProfile({ ...profile, name: 'Luisa Pérez' }, user());
      office.patient.fullName = 'Lucha';
      expect([await name(), (await office.receivers.getTaxProfile({ id: PATIENT }, user())).name]).toEqual(['Luisa Pérez', 'Luisa Pérez']);
    } finally {
      office.patient.fullName = 'Luis Pérez';
    }
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

  test('that is invalid whoever issuer and patient are is refused as invalid, before a missing patient or issuer is', async () => {
    const user = asUser(randomUUID());
    const item = { ...INVOICE.items[0], description: 'Limpieza' };
    const ofPatient: [string, object][] = [
      ['items', { items: [{ ...item, unitPrice: 0 }], payment: { methods: [{ code: '01', amount: 0 }] } }],
      ['items.0.discount', { items: [{ ...item, discount: 113.01 }] }],
      ['payment.term', { payment: { condition: 'credit', methods: [] } }],
      ['payment.methods.0.code', { payment: { methods: [{ code: '77', amount: 113 }] } }],
      ['notes', { notes: 'x'.repeat(3001) }],
    ];
    const others: [string, object][] = [
      ['receiver.documentNumber', { receiver: { name: 'Ana', documentType: '13', documentNumber: '000000000' } }],
      ['receiver.nrc', { receiver: { ...TAXPAYER, nrc: '1', isLargeTaxpayer: true } }],
      ['receiver', { type: 'credit_fiscal' }],
      ['receiver', { items: [{ ...item, unitPrice: 1095 }], payment: { methods: [{ code: '01', amount: 1095 }] } }],
      ['payment.methods', { payment: { methods: [{ code: '01', amount: 112 }] } }],
    ];
    for (const [path, change] of [...ofPatient, ...ofPatient.map(([path, change]) => [path, { ...change, patientId: randomUUID() }] as const), ...others])
      await expect(office.documents.checkout({ ...INVOICE, ...change }, user)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
    // What the tax profile of a patient, or the issuer of a large taxpayer, may change is decided later.
    expect(await reason(office.documents.checkout({ ...INVOICE, type: 'credit_fiscal', patientId: randomUUID() }, user))).toBe('NOT_FOUND');
    const large = { ...CREDIT, receiver: { ...TAXPAYER, isLargeTaxpayer: true }, payment: { methods: [{ code: '01', amount: 112 }] } };
    expect(await reason(office.documents.checkout(large, user))).toBe('DTE_NOT_CONFIGURED');
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

  test('for a voided payment is refused', async () => {
    const clinic = await office.clinic();
    await expect(office.documents.checkout({ ...INVOICE, paymentId: VOIDED_PAYMENT }, clinic.user())).rejects.toMatchObject({
      reason: 'VALIDATION_ERROR',
      details: [{ path: 'paymentId' }],
    });
  });

  test.each([
    ['unknown', undefined, 'nothing'],
    ['the same', PATIENT, 'nothing'],
    ['a record that was merged into it', MERGED_PATIENT, 'nothing'],
    ['another one', OTHER_PATIENT, 'VALIDATION_ERROR'],
  ])('for a payment is refused unless its patient is that of the document: %s', async (_what, patientId, expected) => {
    const clinic = await office.clinic();
    const order = { ...INVOICE, paymentId: PAYMENT };
    try {
      office.payment.patientId = patientId;
      for (const named of [{ patientId: PATIENT }, { appointmentId: randomUUID() }])
        expect(await reason(office.documents.checkout({ ...order, ...named }, clinic.user()))).toBe(expected);
      expect(await reason(office.documents.checkout(order, clinic.user()))).toBe('nothing');
    } finally {
      delete office.payment.patientId;
    }
  });

  test.each<[string, { patientId?: string; appointmentOf?: string; paymentOf?: string }, string]>([
    ['the payment of a dependant', { patientId: PATIENT, paymentOf: DEPENDANT }, PATIENT],
    ['appointment and payment of a dependant', { patientId: PATIENT, appointmentOf: DEPENDANT, paymentOf: DEPENDANT }, PATIENT],
    ['the appointment of a dependant, without a patient', { appointmentOf: DEPENDANT, paymentOf: PATIENT }, DEPENDANT],
    ['the payment of the guardian', { patientId: DEPENDANT, paymentOf: PATIENT }, DEPENDANT],
    ['the payment of a record that was merged into the guardian', { patientId: DEPENDANT, paymentOf: MERGED_PATIENT }, DEPENDANT],
    ['the appointment of the guardian', { patientId: DEPENDANT, appointmentOf: PATIENT }, 'appointmentId'],
    ['the appointment of another patient', { patientId: PATIENT, appointmentOf: OTHER_PATIENT }, 'appointmentId'],
    ["the payment of another patient, with a dependant's appointment", { patientId: PATIENT, appointmentOf: DEPENDANT, paymentOf: OTHER_PATIENT }, 'paymentId'],
    ["another patient's appointment, with a payment of the patient", { appointmentOf: OTHER_PATIENT, paymentOf: PATIENT }, 'paymentId'],
  ])('names the family in one request: %s', async (_what, { patientId = '', appointmentOf, paymentOf }, expected) => {
    const clinic = await office.clinic();
    try {
      office.appointment.patientId = appointmentOf ?? PATIENT;
      office.payment.patientId = paymentOf;
      const named = { patientId, ...(appointmentOf && { appointmentId: randomUUID() }), ...(paymentOf && { paymentId: PAYMENT }) };
      const sent = office.documents.checkout({ ...INVOICE, ...named }, clinic.user());
      if (expected.endsWith('Id')) await expect(sent).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: expected }] });
      else expect((await sent).patientId).toBe(expected);
    } finally {
      office.appointment.patientId = PATIENT;
      delete office.payment.patientId;
    }
  });

  test('that is repeated with its idempotency key gets the first response, although the patient was merged since', async () => {
    const clinic = await office.clinic();
    const key = randomUUID();
    const order = { ...INVOICE, patientId: PATIENT };
    const { id } = await office.documents.checkout(order, clinic.user(key));
    try {
      office.patient.isMerged = true;
      expect((await office.documents.checkout(order, clinic.user(key))).id).toBe(id);
      expect(await reason(office.documents.checkout(order, clinic.user(randomUUID())))).toBe('NOT_FOUND');
    } finally {
      office.patient.isMerged = false;
    }
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

test('an issuer, a certificate or a tax profile that is set again without a change is not in the audit log', async () => {
  const { id, nit, user } = await office.clinic();
  const certificate = await office.authority.certificate(nit);
  const profile = { id: PATIENT, documentType: '13', documentNumber: '01234567-8', email: 'luis@example.com' };
  const entries = async () => (await office.query('select action from audit_log where clinic_id = $1 order by id', [id])).map(({ action }) => action);
  const set = async () => {
    const { provider, ...issuer } = { ...ISSUER, nit };
    for (const body of [{ ...issuer, provider }, issuer]) await office.issuers.setDteIssuer(body, asAdmin(id));
    await office.receivers.setTaxProfile(profile, user());
    return office.issuers.setDteCertificate({ certificate, password: PASSWORD }, asAdmin(id));
  };
  const first = await set();
  const before = await entries();
  office.clock.advance(1_000);
  expect(await set()).toEqual(first);
  expect(await entries()).toEqual(before);
  for (const change of [
    { phone: '2222-0001' },
    { provider: { ...ISSUER.provider, password: 'otra' } },
    { pointsOfSale: [{ establishment: 'M001', code: 'P002' }] },
  ])
    await office.issuers.setDteIssuer({ ...ISSUER, nit, ...change }, asAdmin(id));
  await office.receivers.setTaxProfile({ ...profile, email: 'otro@example.com' }, user());
  expect((await entries()).slice(before.length)).toEqual([...Array(3).fill('tax_issuer.set'), 'patient.tax_profile_set']);
});

describe('numbers', () => {
  test('of a point of sale that is removed while its first document is being issued remain reserved for the clinic', async () => {
    const clinic = await office.clinic();
    let issued = () => {};
    const isIssued = new Promise<void>((resolve) => {
      issued = resolve;
    });
    const issuing = office.issueOnly(clinic.id, async () => {
      issued();
      await setTimeout(500);
    });
    await isIssued;
    const moved = { ...ISSUER, nit: clinic.nit, pointsOfSale: [{ establishment: 'S009', code: 'P001' }] };
    await Promise.all([issuing, office.issuers.setDteIssuer(moved, asAdmin(clinic.id))]);
    expect(await reason(office.issuers.setDteIssuer({ ...ISSUER, nit: clinic.nit }, asAdmin(randomUUID())))).toBe('DTE_POINT_OF_SALE_TAKEN');
  });

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
