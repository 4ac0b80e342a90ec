// Prices, generated plans, quotes and their acceptance.
import { randomUUID } from 'node:crypto';
import { textOfPdf } from '@clinic/lib/testing/pdf-text.ts';
import { png } from '@clinic/lib/testing/signature.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Dental, MONDAY, outcomes, startDental, TODAY } from '../testing/dental-service.ts';

let s: Dental;
let clinicId: string;
let patient: { id: string };
beforeAll(async () => {
  s = await startDental();
});
afterAll(() => s.stop());
beforeEach(() => {
  s.clock.set(MONDAY);
  clinicId = randomUUID();
  patient = s.patient(clinicId);
});

const me = () => s.asUser(clinicId);
const admin = () => s.asAdmin(clinicId);
const finding = (tooth: number, code: string, status: string, surfaces: string[] = []) =>
  s.charts.addChartEntry({ patientId: patient.id, tooth, finding: code, status, surfaces }, me());

describe('prices', () => {
  test('are replaced as a whole; procedures of the catalogue remain listed', async () => {
    const before = (await s.prices.listPrices({}, me())).prices;
    expect(before.find(({ code }) => code === 'filling_resin')?.name).toBe('Obturación de resina');
    await s.prices.replacePrices(
      {
        prices: [
          { code: 'own', name: 'Blanqueamiento', price: 15_000n },
          { code: 'crown', price: 1n },
        ],
      },
      admin(),
    );
    const { prices } = await s.prices.replacePrices({ prices: [{ code: 'filling_resin', price: 4_550n }] }, admin());
    expect(prices.filter(({ price }) => price !== undefined).map(({ code, price }) => [code, price])).toEqual([['filling_resin', 4_550n]]);
    expect(prices).toHaveLength(before.length);
  });

  test('can be sent back as they were listed', async () => {
    await s.prices.replacePrices({ prices: [{ code: 'crown', name: 'Corona de zirconio', price: 30_050n }] }, admin());
    const listed = await s.prices.listPrices({}, me());
    const prices = listed.prices.map(({ code, name, price }) => ({ code, name, ...(price !== undefined && { price }) }));
    expect(await s.prices.replacePrices({ prices }, admin())).toEqual(listed);
  });

  test.each([
    [[{ code: 'crown', price: 0n }], 'prices.0.price'],
    [
      [
        { code: 'crown', price: 1n },
        { code: 'crown', price: 2n },
      ],
      'prices.1.code',
    ],
    [[{ code: 'own', price: 1n }], 'prices.0.name'],
    [[{ code: 'Own!', name: 'x', price: 1n }], 'prices.0.code'],
  ])('%j is rejected at %s', async (prices, path) => {
    await expect(s.prices.replacePrices({ prices }, admin())).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
  });

  test('are set by admins only, per clinic', async () => {
    await expect(s.prices.replacePrices({ prices: [] }, me())).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    await s.prices.replacePrices({ prices: [{ code: 'crown', price: 9n }] }, admin());
    expect((await s.prices.listPrices({}, s.asUser(randomUUID()))).prices.some(({ price }) => price !== undefined)).toBe(false);
  });
});

describe('generated plans', () => {
  test('have one step per untreated finding, most urgent first, at the clinic’s prices', async () => {
    await s.prices.replacePrices(
      {
        prices: [
          { code: 'filling_resin', price: 4_500n },
          { code: 'root_canal', name: 'Endodoncia', price: 20_000n },
        ],
      },
      admin(),
    );
    await finding(16, 'caries', 'existing', ['O']);
    await finding(26, 'crown', 'planned');
    await finding(36, 'pulpitis', 'existing');
    await finding(46, 'filling_resin', 'existing', ['O']);
    const { steps, estimatedTotal, title } = await s.treatments.generateTreatmentPlan({ patientId: patient.id }, me());
    expect(steps.map(({ procedure, estimatedCost, stepOrder, tooth }) => [stepOrder, procedure, estimatedCost, tooth])).toEqual([
      [1, 'Endodoncia, diente 36', 20_000n, 36],
      [2, 'Obturación de resina, diente 16 (O)', 4_500n, 16],
      [3, 'Corona, diente 26', undefined, 26],
    ]);
    expect([estimatedTotal, title]).toEqual([24_500n, 'Plan de tratamiento']);
  });

  test('are rejected without untreated findings and for patients of another clinic', async () => {
    await expect(s.treatments.generateTreatmentPlan({ patientId: patient.id }, me())).rejects.toMatchObject({ reason: 'NOTHING_TO_TREAT' });
    await finding(16, 'caries', 'treated', ['O']);
    await expect(s.treatments.generateTreatmentPlan({ patientId: patient.id }, me())).rejects.toMatchObject({ reason: 'NOTHING_TO_TREAT' });
    const other = s.asUser(randomUUID());
    await expect(s.treatments.generateTreatmentPlan({ patientId: patient.id }, other)).rejects.toMatchObject({ message: 'Patient not found' });
  });
});

describe('quotes', () => {
  const plan = async () => {
    const { id } = await s.treatments.createTreatmentPlan({ patientId: patient.id, title: 'Coronas' }, me());
    const step = await s.treatments.addTreatmentStep({ id, procedure: 'Corona', estimatedCost: 25_000n }, me());
    return { id, step };
  };

  test('a quote does not change with the plan', async () => {
    const { id, step } = await plan();
    const quote = await s.treatments.createQuote({ id }, me());
    expect(quote).toMatchObject({
      number: 1,
      total: 25_000n,
      validUntil: '2026-07-01',
      status: 'open',
      lines: [{ number: 1, procedure: 'Corona', price: 25_000n }],
    });
    await s.treatments.updateTreatmentStep({ id: step.id, estimatedCost: 99_900n, procedure: 'Otra' }, me());
    expect(await s.treatments.getQuote({ id }, me())).toMatchObject({ id: quote.id, total: 25_000n, lines: [{ procedure: 'Corona' }] });
    await expect(s.service.db.pool.query('update quotes set total_cents = 1')).rejects.toMatchObject({ code: '42501' });
  });

  test('concurrent quotes are numbered without gaps', async () => {
    const plans = await Promise.all(Array.from({ length: 8 }, plan));
    const quotes = await Promise.all(plans.map(({ id }) => s.treatments.createQuote({ id }, me())));
    expect(quotes.map(({ number }) => number).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('is accepted once, with an encrypted signature', async () => {
    const { id } = await plan();
    await s.treatments.createQuote({ id }, me());
    const accept = () => s.treatments.acceptQuote({ id, name: 'María López', signature: png(), date: TODAY }, me());
    expect(await outcomes([accept(), accept(), accept()])).toEqual({ succeeded: 1, failed: 2, reasons: ['QUOTE_ACCEPTED'] });
    const quote = await s.treatments.getQuote({ id }, me());
    expect(quote).toMatchObject({ status: 'accepted', acceptance: { name: 'María López', signed: true, date: TODAY } });
    const { rows } = await s.owner.query('select signer_sealed, signature_sealed from dental.quote_acceptances where clinic_id = $1', [clinicId]);
    expect(rows).toHaveLength(1);
    expect(Buffer.concat([rows[0].signer_sealed, rows[0].signature_sealed]).toString()).not.toMatch(/María|PNG\r\n|base64/);
  });

  test('the name of the person who accepts is on one line', async () => {
    const { id } = await plan();
    await s.treatments.createQuote({ id }, me());
    const { acceptance } = await s.treatments.acceptQuote({ id, name: ' María\r\nLópez ' }, me());
    expect(acceptance?.name).toBe('María López');
  });

  test('acceptance chooses the option of the quote', async () => {
    const { id, step } = await plan();
    const { options } = await s.treatments.addTreatmentOption({ id, name: 'B', copyFrom: step.optionId }, me());
    await s.treatments.createQuote({ id, optionId: options[1]?.id ?? '' }, me());
    await s.treatments.acceptQuote({ id, name: 'Ana' }, me());
    expect((await s.treatments.getTreatmentPlan({ id }, me())).options.map(({ isChosen }) => isChosen)).toEqual([false, true]);
  });

  test('acceptance of another option replaces the total that was set for the option chosen before by the total of the quote', async () => {
    const { id, step } = await plan();
    const { options } = await s.treatments.addTreatmentOption({ id, name: 'B' }, me());
    const optionId = options[1]?.id ?? '';
    await s.treatments.addTreatmentStep({ id, optionId, procedure: 'Puente', estimatedCost: 60_000n }, me());
    await s.treatments.updateTreatmentPlan({ id, estimatedTotal: 20_000n }, me());
    const total = async () => (await s.treatments.getTreatmentPlan({ id }, me())).estimatedTotal;
    expect((await s.treatments.createQuote({ id, optionId }, me())).total).toBe(60_000n);
    await s.treatments.acceptQuote({ id, name: 'Ana' }, me());
    expect(await total()).toBe(60_000n);
    const { rows } = await s.owner.query("select changes from dental.audit_log where clinic_id = $1 and action = 'quote.accepted'", [clinicId]);
    expect(rows).toEqual([{ changes: { treatment_plan_id: expect.any(String), given_total_cents: { from: '20000', to: null } } }]);
    // The quote of an option with a total of its own, which was chosen when the quote was created.
    await s.treatments.updateTreatmentPlan({ id, estimatedTotal: 55_000n }, me());
    expect((await s.treatments.createQuote({ id }, me())).total).toBe(55_000n);
    expect((await s.treatments.chooseTreatmentOption({ id, optionId: step.optionId }, me())).estimatedTotal).toBe(25_000n);
    await s.treatments.acceptQuote({ id, name: 'Ana' }, me());
    expect(await total()).toBe(55_000n);
  });

  test('of an option that was deleted cannot be accepted', async () => {
    const { id, step } = await plan();
    const { options } = await s.treatments.addTreatmentOption({ id, name: 'B', copyFrom: step.optionId }, me());
    const optionId = options[1]?.id ?? '';
    await s.treatments.createQuote({ id, optionId }, me());
    await s.treatments.deleteTreatmentOption({ id, optionId }, me());
    await expect(s.treatments.acceptQuote({ id, name: 'Ana' }, me())).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Treatment option not found' });
    expect((await s.treatments.getQuote({ id }, me())).status).toBe('open');
  });

  test('of a cancelled plan can be neither created nor accepted, and its estimate cannot be signed, until the plan has another status', async () => {
    const { id } = await plan();
    await s.treatments.createQuote({ id }, me());
    await s.treatments.cancelTreatmentPlan({ id }, me());
    await expect(s.treatments.createQuote({ id }, me())).rejects.toMatchObject({ reason: 'TREATMENT_PLAN_CANCELLED' });
    await expect(s.treatments.acceptQuote({ id, name: 'Ana' }, me())).rejects.toMatchObject({ reason: 'TREATMENT_PLAN_CANCELLED' });
    const text = async () => textOfPdf((await s.treatments.getEstimate({ id }, me())).content);
    expect(await text()).toMatch(/Total\$250.00Este presupuesto no se puede aceptar: el tratamiento está cancelado/);
    await s.treatments.updateTreatmentPlan({ id, status: 'active' }, me());
    expect(await text()).toContain('Acepto');
    await s.treatments.acceptQuote({ id, name: 'Ana' }, me());
    await s.treatments.cancelTreatmentPlan({ id }, me());
    expect(await text()).toContain('Acepto');
  });

  test('is accepted only while it is valid', async () => {
    const { id } = await plan();
    await expect(s.treatments.acceptQuote({ id, name: 'Ana' }, me())).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Quote not found' });
    await s.treatments.createQuote({ id, validUntil: TODAY }, me());
    await expect(s.treatments.acceptQuote({ id, name: 'Ana', date: '2026-06-02' }, me())).rejects.toMatchObject({ details: [{ path: 'date' }] });
    s.clock.advance(86_400_000);
    expect((await s.treatments.getQuote({ id }, me())).status).toBe('expired');
    await expect(s.treatments.acceptQuote({ id, name: 'Ana' }, me())).rejects.toMatchObject({ reason: 'QUOTE_EXPIRED' });
    await expect(s.treatments.createQuote({ id, validUntil: TODAY }, me())).rejects.toMatchObject({ details: [{ path: 'valid_until' }] });
    const { id: empty } = await s.treatments.createTreatmentPlan({ patientId: patient.id, title: 'x' }, me());
    await expect(s.treatments.createQuote({ id: empty }, me())).rejects.toMatchObject({ reason: 'QUOTE_EMPTY' });
  });

  test('a quote needs a price on each step that is not skipped; without one the estimate offers no acceptance', async () => {
    const { id } = await plan();
    const unpriced = await s.treatments.addTreatmentStep({ id, procedure: 'Endodoncia' }, me());
    await expect(s.treatments.createQuote({ id }, me())).rejects.toMatchObject({
      reason: 'QUOTE_UNPRICED',
      details: [{ path: `steps.${unpriced.id}`, message: 'step 2, Endodoncia, has no estimated_cost' }],
    });
    const text = async () => textOfPdf((await s.treatments.getEstimate({ id }, me())).content);
    expect(await text()).toMatch(/Suma de los precios definidos\$250.00Totalpor definir/);
    expect(await text()).not.toContain('Acepto');
    await s.treatments.updateTreatmentPlan({ id, estimatedTotal: 90_000n }, me());
    expect(await text()).toMatch(/Suma de los precios definidos\$250.00Total\$900.00/);
    await expect(s.treatments.createQuote({ id }, me())).rejects.toMatchObject({ reason: 'QUOTE_UNPRICED' });
    await s.treatments.updateTreatmentStep({ id: unpriced.id, status: 'skipped' }, me());
    await s.treatments.createQuote({ id }, me());
    expect(await text()).toMatch(/Suma de los procedimientos\$250.00Ajuste\$650.00Total\$900.00.*Acepto/s);
  });

  test('a quote of an earlier release with a procedure without a price can be neither signed nor accepted', async () => {
    const { id } = await plan();
    const { id: quoteId } = await s.treatments.createQuote({ id }, me());
    await s.owner.query(`update dental.quotes set lines = '[{"procedure": "Corona", "tooth": null, "price_cents": null}]', total_cents = 0 where id = $1`, [
      quoteId,
    ]);
    expect(textOfPdf((await s.treatments.getEstimate({ id }, me())).content)).toMatch(/Totalpor definirEste presupuesto no se puede aceptar/);
    await expect(s.treatments.acceptQuote({ id, name: 'Ana' }, me())).rejects.toMatchObject({ reason: 'QUOTE_UNPRICED' });
  });

  test.each([
    ['plain text', 'hello'],
    ['an SVG', `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`],
    ['a PNG with missing rows', png(4, 3, Buffer.alloc(10))],
    ['a PNG that decompresses to more than its size', png(4, 3, Buffer.alloc(5_000_000))],
    ['a PNG that is too wide', png(2001, 1)],
    ['a PNG with an unknown filter', png(1, 1, Buffer.from([9, 0, 0, 0, 0]))],
    ['a truncated PNG', png().slice(0, -8)],
    ['a blank PNG', png(4, 3, Buffer.alloc(3 * 17))],
    ['too many characters', `data:image/png;base64,${'A'.repeat(200_000)}`],
  ])('%s is rejected as a signature', async (_what, signature) => {
    const { id } = await plan();
    await s.treatments.createQuote({ id }, me());
    await expect(s.treatments.acceptQuote({ id, name: 'Ana', signature }, me())).rejects.toMatchObject({ details: [{ path: 'signature' }] });
  });

  test('the estimate of a plan without steps shows only its total', async () => {
    const { id } = await s.treatments.createTreatmentPlan({ patientId: patient.id, title: 'Rehabilitación', estimatedTotal: 85_000n }, me());
    const text = textOfPdf((await s.treatments.getEstimate({ id }, me())).content);
    expect(text).toContain('PrecioTotal$850.00');
  });

  test('the estimate of a patient whose record was merged is still there until its event arrives', async () => {
    const { id } = await plan();
    Object.assign(s.patients.get(patient.id) ?? {}, { isMerged: true });
    expect(textOfPdf((await s.treatments.getEstimate({ id }, me())).content)).toContain('Luis Pérez');
  });

  test('the estimate is a PDF with the same bytes as long as nothing changes', async () => {
    const { id } = await plan();
    const [draft, again] = [await s.treatments.getEstimate({ id }, me()), await s.treatments.getEstimate({ id }, me())];
    expect([draft.contentType, draft.filename, Buffer.from(draft.content.subarray(0, 5)).toString()]).toEqual(['application/pdf', 'presupuesto.pdf', '%PDF-']);
    expect(again.etag).toBe(draft.etag);
    await s.treatments.createQuote({ id }, me());
    await s.treatments.acceptQuote({ id, name: 'Ana', signature: png() }, me());
    const signed = await s.treatments.getEstimate({ id }, me());
    expect([signed.filename, signed.etag === draft.etag]).toEqual(['presupuesto-1.pdf', false]);
  });
});
