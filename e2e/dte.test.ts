// Tax documents through the public API: issuer, processed document, its PDF and mail, and refusals. The test has its own product, which calls the
// simulated authority and never the real one.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Simulator, startSimulator } from '../scripts/dev/dte-simulator/server.ts';
import { INVOICE, ISSUER } from '../services/billing/testing/tax-orders.ts';
import { type Api, apiAt, type Body, expectStatus, freshKey } from './api.ts';
import { addPatient, type Clinic, newClinic } from './clinic.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';

const PASSWORD = 'Clave-Del-Certificado-1';

let simulator: Simulator;
let product: OwnProduct;
let api: Api;
let clinic: Clinic;

const mood = (name: string) =>
  fetch(`${simulator.url}/simulator`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ mood: name }) });
const certificate = async (nit: string) => {
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ nit, password: PASSWORD }) };
  return ((await (await fetch(`${simulator.url}/simulator/certificates`, sent)).json()) as { xml: string }).xml;
};
const checkout = (body: Body, extra = {}) => api.post('/api/dte/checkout', body, { ...clinic, ...extra });

beforeAll(async () => {
  simulator = await startSimulator({ port: 0 });
  product = await startOwnProduct({ DTE_API_BASE_URL: simulator.url, DTE_TIMEOUT_MS: '2000' });
  api = apiAt(product.api);
  clinic = await newClinic(api);
});
afterAll(async () => {
  await product?.stop();
  await simulator?.stop();
});

describe('tax documents', () => {
  test('require an issuer', async () => {
    expect((await checkout(INVOICE)).body).toMatchObject({ code: 'DTE_NOT_CONFIGURED' });
    expect((await api.get('/api/dte/issuer', clinic)).body).toMatchObject({ nit: '', ready: false, address: null });
    const set = await expectStatus(200, api.put('/api/dte/issuer', ISSUER, clinic));
    expect(set.body).toMatchObject({ nit: '06140101901015', ready: false, has_provider: true, points_of_sale: [{ establishment: 'M001', code: 'P001' }] });
    const body = { certificate: await certificate('06140101901015'), password: PASSWORD };
    expect((await api.put('/api/dte/issuer/certificate', { ...body, password: 'otra' }, clinic)).body).toMatchObject({ code: 'VALIDATION_ERROR' });
    const ready = await expectStatus(200, api.put('/api/dte/issuer/certificate', body, clinic));
    expect(ready.body).toMatchObject({ ready: true });
    expect(ready.text).not.toContain(PASSWORD);
  });

  test('are issued, shown, listed, printed and mailed', async () => {
    const patient = await addPatient(api, clinic);
    const profile = { documentType: '13', documentNumber: '01234567-8', email: 'luis@example.com' };
    await expectStatus(200, api.put(`/api/patients/${patient.id}/tax-profile`, profile, clinic));
    expect((await api.get(`/api/patients/${patient.id}/tax-profile`, clinic)).body).toMatchObject({
      name: patient.full_name,
      document_number: '012345678',
      nrc: null,
    });
    const headers = freshKey();
    const { body } = await expectStatus(201, checkout({ ...INVOICE, patientId: patient.id }, { headers }));
    expect(body).toMatchObject({
      type: 'invoice',
      status: 'processed',
      numero_control: 'DTE-01-M001P001-000000000000001',
      total: 113,
      taxes: 13,
      observations: [],
      patient_id: patient.id,
      document: { resumen: { totalPagar: 113, totalLetras: 'CIENTO TRECE 00/100 DÓLARES' }, receptor: { nombre: patient.full_name } },
    });
    expect(body.sello_recibido).toMatch(/^[A-Z0-9]{40}$/);
    expect((await checkout({ ...INVOICE, patientId: patient.id }, { headers })).body).toEqual(body);
    expect((await checkout(INVOICE, { headers })).body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    const listed = await expectStatus(200, api.get('/api/dte/documents?status=processed&type=invoice', clinic));
    expect(listed.body).toMatchObject({ total: 1, documents: [{ id: body.id, document: null }] });
    const pdf = await expectStatus(200, api.get(body.pdf_url, clinic));
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    const json = await expectStatus(200, api.get(`/api/dte/documents/${body.id}.json`, clinic));
    expect(json.body).toMatchObject({ firmaElectronica: body.jws, selloRecibido: body.sello_recibido });
    expect((await expectStatus(200, api.post(`/api/dte/documents/${body.id}/send`, {}, clinic))).body).toEqual({ sent: true });
    const book = await expectStatus(200, api.get(`/api/dte/books/consumers?month=${body.issued_on.slice(0, 7)}`, clinic));
    expect(book.text).toContain('113.00');
    expect((await expectStatus(200, api.get('/api/dte/catalogs/CAT-019?search=odontologia', clinic))).body).toMatchObject({ entries: [{ code: '86202' }] });
  });

  test('are found by name, and reads of a national id are in the audit log', async () => {
    const { documents } = (await expectStatus(200, api.get('/api/dte/documents?search=01234567-8', clinic))).body;
    expect(documents).toMatchObject([{ type: 'invoice', status: 'processed' }]);
    expect((await api.get('/api/dte/documents?search=nadie', clinic)).body).toMatchObject({ total: 0 });
    const { body, text } = await expectStatus(200, api.get('/api/audit-log?limit=500', clinic));
    const actions = new Set(body.entries.filter(({ service }: Body) => service === 'billing').map(({ action }: Body) => action));
    for (const action of [
      'tax_issuer.set',
      'tax_issuer.certificate_set',
      'patient.tax_profile_set',
      'patient.tax_profile_read',
      'tax_document.issued',
      'tax_document.processed',
    ])
      expect([...actions]).toContain(action);
    for (const action of ['tax_document.read', 'tax_document.sent']) expect([...actions]).toContain(action);
    expect(text).not.toMatch(/01234567|luis@example/);
  });

  test('that the authority refuses are stored and return 422; while it is unavailable they are issued in contingency', async () => {
    await mood('refuses');
    const refused = await checkout(INVOICE);
    expect(refused).toMatchObject({ status: 422, body: { code: 'DTE_REJECTED', observations: ['RECHAZADO POR SIMULACION', expect.any(String)] } });
    const id = refused.body.document_id;
    await mood('away'); // plain-words: away is a value of the simulator's interface
    expect((await expectStatus(201, checkout(INVOICE))).body).toMatchObject({ status: 'contingency', sello_recibido: null });
    await mood('answers');
    expect((await expectStatus(200, api.post(`/api/dte/documents/${id}/correct`, {}, clinic))).body).toMatchObject({ id, status: 'processed' });
    const body = { type: 2, reason: 'El paciente canceló' };
    expect((await expectStatus(200, api.post(`/api/dte/documents/${id}/invalidate`, body, clinic))).body).toMatchObject({ status: 'invalidated' });
    expect((await api.post(`/api/dte/documents/${id}/invalidate`, body, clinic)).body).toMatchObject({ code: 'DTE_NOT_ALLOWED' });
  });

  test('are not part of the basic plan, and are not accessible to other clinics', async () => {
    const basic = await newClinic(api, { plan: 'basic' });
    for (const path of ['/api/dte/documents', '/api/dte/catalogs/CAT-012']) expect((await api.get(path, basic)).body.code).toBe('PLAN_UPGRADE_REQUIRED');
    expect((await api.post('/api/dte/checkout', INVOICE, basic)).body.code).toBe('PLAN_UPGRADE_REQUIRED');
    const other = await newClinic(api);
    const { documents } = (await api.get('/api/dte/documents', clinic)).body;
    expect((await api.get(`/api/dte/documents/${documents[0].id}`, other)).body).toEqual({ error: 'Document not found', code: 'NOT_FOUND' });
    expect((await api.put('/api/dte/issuer', ISSUER, other)).body).toMatchObject({ code: 'DTE_POINT_OF_SALE_TAKEN' });
  });
});
