// Documents signed by the authority's own signer, at DTE_SIGNER_URL.
import { asAdmin } from '@clinic/lib/testing/callers.ts';
import { expect, test } from '@jest/globals';
import { randomNit, useTaxOffice } from '../../testing/tax-office.ts';
import { INVOICE } from '../../testing/tax-orders.ts';

const office = await useTaxOffice((authority) => ({ DTE_SIGNER_URL: authority }));

const signed = async () => (await office.authority.state()).calls['/firmardocumento/'] ?? 0;

test('are accepted like those signed locally', async () => {
  const clinic = await office.clinic();
  const before = await signed();
  const { status, jws = '', document } = await office.documents.checkout(INVOICE, clinic.user());
  expect(status).toBe('processed');
  expect(await signed()).toBe(before + 1);
  expect(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()).toBe('{"alg":"RS512"}');
  expect(JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString())).toEqual(document);
});

test('stay pending while it cannot sign, and are handed over when it can', async () => {
  const nit = randomNit();
  const clinic = await office.clinic(nit);
  // The signer has a new certificate of the taxpayer, whose password the clinic has not set yet.
  const renewed = await office.authority.certificate(nit, 'Otra-Clave-2');
  const { id, status, jws } = await office.documents.checkout(INVOICE, clinic.user());
  expect({ status, jws }).toEqual({ status: 'pending', jws: undefined });
  await office.issuers.setDteCertificate({ certificate: renewed, password: 'Otra-Clave-2' }, asAdmin(clinic.id));
  office.clock.advance(120_000);
  await office.sweepUntil(id, 'processed');
});
