// Documents signed by the authority's own signer, at DTE_SIGNER_URL.
import { asAdmin } from '@clinic/lib/testing/callers.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Desk, INVOICE, openDesk, randomNit } from '../../testing/tax-office.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk((authority) => ({ DTE_SIGNER_URL: authority }));
});
afterAll(() => desk.stop());
beforeEach(() => desk.authority.mood('answers'));

const signed = async () => (await desk.authority.state()).calls['/firmardocumento/'] ?? 0;

test('are as good as those signed here', async () => {
  const clinic = await desk.clinic();
  const before = await signed();
  const { status, jws = '', document } = await desk.documents.checkout(INVOICE, clinic.user());
  expect(status).toBe('processed');
  expect(await signed()).toBe(before + 1);
  expect(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()).toBe('{"alg":"RS512"}');
  expect(JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString())).toEqual(document);
});

test('wait while it cannot sign, and go through when it can', async () => {
  const nit = randomNit();
  const clinic = await desk.clinic(nit);
  // The signer gets another certificate of the taxpayer, whose password the clinic has not told yet.
  const renewed = await desk.authority.certificate(nit, 'Otra-Clave-2');
  const { id, status, jws } = await desk.documents.checkout(INVOICE, clinic.user());
  expect({ status, jws }).toEqual({ status: 'pending', jws: undefined });
  await desk.issuers.setDteCertificate({ certificate: renewed, password: 'Otra-Clave-2' }, asAdmin(clinic.id));
  desk.clock.advance(120_000);
  await desk.sweepUntil(id, 'processed');
});
