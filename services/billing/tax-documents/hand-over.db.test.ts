// Handovers to an authority that rejects documents, does not answer, or answers late, and contingencies.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { asSystem } from '@clinic/lib/db/db.ts';
import { asAdmin } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PASSWORD, randomNit, reason, startTaxOffice, type TaxOffice, UNAVAILABLE, useTaxOffice } from '../testing/tax-office.ts';
import { CREDIT, INVOICE, ISSUER } from '../testing/tax-orders.ts';
import type { Account, Verdict } from './authority/authority-client.ts';
import type { Sign } from './authority/signer.ts';
import { endContingency } from './end-contingency.ts';
import { handOver } from './hand-over.ts';
import { listInterrupted } from './sql/unsettled-documents.sql.ts';

const office = await useTaxOffice();
const { authority } = office;

describe('with a timeout of one second, when the authority', () => {
  let office: TaxOffice;
  beforeAll(async () => {
    office = await startTaxOffice(() => ({ DTE_TIMEOUT_MS: '1000' }), authority);
  });
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
    const fresh = await startTaxOffice(undefined, authority);
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

  /** An authority that says for the first attempts that it already has the document, and answers queries as given, the last answer also later. */
  function duplicate(...queries: Verdict[]) {
    const counts = { receive: 0, query: 0 };
    const authority = {
      ...office.app.authority,
      receive: async (): Promise<Verdict> => {
        counts.receive += 1;
        return { kind: 'rejected', code: '004', observations: ['YA EXISTE UN REGISTRO CON ESE VALOR'] };
      },
      query: async () => queries[Math.min(counts.query++, queries.length - 1)] as Verdict,
    };
    return { counts, app: { ...office.app, authority } };
  }
  const absent: Verdict = { kind: 'absent' };

  test('receives the earlier version of a document in contingency just before the later one, the earlier version is valid', async () => {
    const clinic = await office.clinic();
    await office.authority.mood(UNAVAILABLE);
    const { id } = await office.documents.checkout(INVOICE, clinic.user());
    const seal = 'A'.repeat(40);
    const { app, counts } = duplicate(absent, { kind: 'accepted', seal, code: '001', observations: [] });
    expect(await handOver(app, clinic.id, id, 5_000, 'contingency')).toBe('settled');
    const shown = await office.documents.getTaxDocument({ id }, clinic.user());
    expect(shown).toMatchObject({ status: 'processed', selloRecibido: seal, document: { identificacion: { tipoOperacion: 1 } } });
    expect(counts).toEqual({ receive: 1, query: 2 });
  });

  test.each(['pending', 'contingency'] as const)('has another document with the number of a %s one, it is rejected after three attempts', async (status) => {
    const clinic = await office.clinic();
    await office.authority.mood(UNAVAILABLE);
    const id = status === 'pending' ? await office.issueOnly(clinic.id) : (await office.documents.checkout(INVOICE, clinic.user())).id;
    const { app, counts } = duplicate(absent);
    expect(await handOver(app, clinic.id, id, 5_000, status)).toBe('settled');
    const observations = ['YA EXISTE UN REGISTRO CON ESE VALOR'];
    expect(await office.documents.getTaxDocument({ id }, clinic.user())).toMatchObject({ status: 'rejected', observations });
    expect(counts.receive).toBe(3);
  });

  test('is unavailable and the signer slow, the document stays pending within the time of the handover', async () => {
    const clinic = await office.clinic();
    const id = await office.issueOnly(clinic.id);
    await office.authority.mood('down');
    const limits: number[] = [];
    const sign: Sign = async (signing, nit, document, limitMs) => {
      limits.push(limitMs);
      await sleep(Math.min(600, limitMs));
      if (limitMs < 600) throw new Error('the signer did not answer in time');
      return office.app.sign(signing, nit, document, limitMs);
    };
    expect(await handOver({ ...office.app, sign }, clinic.id, id, 1_000)).toBe('open');
    // After the first signature at most 400 ms are left; a timer may be a millisecond early.
    for (const limitMs of limits.slice(1)) expect(limitMs).toBeLessThan(402);
    expect((await office.documents.getTaxDocument({ id }, clinic.user())).status).toBe('pending');
    await handOver(office.app, clinic.id, id, 5_000);
    expect((await office.documents.getTaxDocument({ id }, clinic.user())).status).toBe('contingency');
  });

  test('was never called because the process died, the next sweep hands the document over', async () => {
    const clinic = await office.clinic();
    const id = await office.issueOnly(clinic.id);
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
    for (let count = 0; count < 20; count += 1) await office.issueOnly(many.id);
    office.clock.advance(1_000);
    const id = await office.issueOnly(one.id);
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

test('documents in contingency show that the authority refuses the password, until it is accepted', async () => {
  const clinic = await office.clinic();
  await office.authority.mood(UNAVAILABLE);
  const { id } = await office.documents.checkout(INVOICE, clinic.user());
  await office.authority.forgetTokens();
  await office.authority.mood('locked');
  await office.sweep();
  const observations = ['El Ministerio de Hacienda no acepta el usuario o la contraseña del emisor'];
  expect(await office.documents.getTaxDocument({ id }, clinic.user())).toMatchObject({ status: 'contingency', observations });
  await office.authority.mood('answers');
  await office.sweepUntil(id, 'processed');
  expect((await office.documents.getTaxDocument({ id }, clinic.user())).observations).toEqual([]);
});

test('a contingency event reports no documents of an earlier taxpayer of the clinic', async () => {
  const { id: clinicId, user } = await office.clinic();
  await office.authority.mood(UNAVAILABLE);
  await office.documents.checkout(INVOICE, user());
  const nit = randomNit();
  await office.issuers.setDteIssuer({ ...ISSUER, nit }, asAdmin(clinicId));
  await office.issuers.setDteCertificate({ certificate: await office.authority.certificate(nit), password: PASSWORD }, asAdmin(clinicId));
  const { id } = await office.documents.checkout(INVOICE, user());
  await office.authority.mood('answers');
  await office.sweepUntil(id, 'processed');
  const reported = await office.query(
    'select d.id from dte_documents d join dte_documents own on own.contingency_event_id = d.contingency_event_id where own.id = $1',
    [id],
  );
  expect(reported).toEqual([{ id }]);
});

describe('of the contingencies of a clinic', () => {
  const accepted: Verdict = { kind: 'accepted', seal: 'A'.repeat(40), code: '001', observations: [] };
  const rejected: Verdict = { kind: 'rejected', code: '010', observations: ['YA EXISTE UN REGISTRO CON ESE VALOR'] };
  /** Ends the contingencies of a clinic with these answers of the authority to contingency events. */
  const end = (clinicId: string, reportContingency: (account: Account) => Promise<Verdict>) =>
    endContingency({ ...office.app, authority: { ...office.app.authority, reportContingency } }, clinicId);
  const stateOf = async (id: string) =>
    (
      await office.query(
        `select event.status, document.observations from dte_documents document left join dte_events event on event.id = document.contingency_event_id
         where document.id = $1`,
        [id],
      )
    )[0];

  test.each([
    ['unknown', { kind: 'unknown' }],
    ['refused', { kind: 'refused' }],
    ['rejected', rejected],
  ] satisfies [string, Verdict][])('one whose event is %s in the test environment does not delay one in production', async (_what, verdict) => {
    const { id: clinicId, nit, user } = await office.clinic();
    await office.authority.mood(UNAVAILABLE);
    const inTest = await office.documents.checkout(INVOICE, user());
    const answer = async ({ environment }: Account) => (environment === '00' ? verdict : accepted);
    await end(clinicId, answer);
    await office.issuers.setDteIssuer({ ...ISSUER, nit, environment: 'production' }, asAdmin(clinicId));
    const inProduction = await office.documents.checkout(INVOICE, user());
    expect([inTest, inProduction]).toMatchObject([
      { status: 'contingency', environment: 'test' },
      { status: 'contingency', environment: 'production' },
    ]);
    await end(clinicId, answer);
    expect(await stateOf(inProduction.id)).toMatchObject({ status: 'accepted' });
    expect(await stateOf(inTest.id)).not.toMatchObject({ status: 'accepted' });
    // The other way round: the issuer is in the test environment again.
    await office.issuers.setDteIssuer({ ...ISSUER, nit }, asAdmin(clinicId));
    await office.query("update dte_events set status = 'pending' where clinic_id = $1 and environment = '01'", [clinicId]);
    await end(clinicId, answer);
    expect(await stateOf(inProduction.id)).toMatchObject({ status: 'accepted' });
  });

  test.each([
    ['before', [rejected, accepted]],
    ['after', [accepted, rejected]],
  ])('one whose event is accepted remains reported, although a duplicate of the event was rejected just %s that', async (_when, [first, second]) => {
    const { id: clinicId, user } = await office.clinic();
    await office.authority.mood(UNAVAILABLE);
    const { id } = await office.documents.checkout(INVOICE, user());
    // It is not handed over, which would clear its observations.
    await office.query("update dte_documents set claimed_until = $2::timestamptz + interval '1 minute' where id = $1", [id, office.clock.now()]);
    // The second process sends the event before the first one has stored its answer.
    await end(clinicId, async () => {
      await end(clinicId, async () => first as Verdict);
      return second as Verdict;
    });
    expect(await stateOf(id)).toEqual({ status: 'accepted', observations: [] });
  });
});

test('a contingency event that is rejected is not sent again each minute, and its documents show why', async () => {
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
  const observations = ['Evento de contingencia rechazado: FIRMA NO VALIDA'];
  expect(await office.documents.getTaxDocument({ id }, clinic.user())).toMatchObject({ status: 'contingency', observations });
  await office.issuers.setDteCertificate({ certificate: renewed, password: PASSWORD }, asAdmin(clinic.id));
  office.clock.advance(3_600_000);
  await office.sweepUntil(id, 'rejected'); // signed with the old key
  expect(await events()).toEqual([{ status: 'rejected' }, { status: 'accepted' }]);
  expect((await office.documents.correctTaxDocument({ id }, clinic.user())).status).toBe('processed');
});
