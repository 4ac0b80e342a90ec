import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

/** As Chrome sends it. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

test.each([
  ['PrescriptionService.openPrescription', '/api/prescriptions/shared/x.pdf'],
  ['TaxDocumentService.openTaxDocument', '/api/dte/shared/x.pdf'],
])('%s: a browser gets the error of an expired link as a page, a program as JSON', async (rpc, path) => {
  gateway.replies[rpc] = () => {
    throw new ServiceError('NOT_FOUND');
  };
  const open = async (accept: string) => {
    const response = await fetch(gateway.url + path, { headers: { Accept: accept } });
    return [response.status, response.headers.get('content-type'), await response.text()] as const;
  };
  const [status, type, html] = await open(BROWSER);
  expect([status, type, html.includes('Este enlace ya no es válido')]).toEqual([404, 'text/html; charset=utf-8', true]);
  for (const accept of ['*/*', 'application/json', 'application/pdf']) {
    const [code, json, text] = await open(accept);
    expect([code, json, JSON.parse(text).code]).toEqual([404, 'application/json; charset=utf-8', 'NOT_FOUND']);
  }
});
