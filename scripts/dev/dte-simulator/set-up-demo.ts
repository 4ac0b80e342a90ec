// Registers the demo clinic as an issuer at the simulated authority, with the same two calls that an admin makes.
import { DteIssuerService } from '@clinic/proto/billing/v1/dte_issuer_pb.js';
import { createClient, type Transport } from '@connectrpc/connect';
import { demoAdmin } from '../demo/admin.ts';
import { CLINIC } from '../demo/clinic.ts';

const NIT = '06142803901017';
const PASSWORD = 'Certificado-De-Prueba-1';
const ISSUER = {
  environment: 'test',
  nit: NIT,
  nrc: '2804567',
  name: 'Clínica Dental Sonrisa, S.A. de C.V.',
  tradeName: CLINIC.clinicName,
  activity: '86202',
  address: { department: '06', municipality: '23', district: '14', line: 'Paseo de Prueba 100, San Salvador' },
  phone: '22221234',
  email: CLINIC.email,
  responsible: { name: CLINIC.adminName, documentType: '13', documentNumber: '01234567-8' },
  provider: { user: NIT, password: 'clave-simulada' },
};

/** Does nothing when the clinic is already an issuer. */
export async function setUpDemo(transport: (service: string) => Transport, demo: { email: string; password: string }, authority: string): Promise<void> {
  const admin = await demoAdmin(transport, demo);
  const issuers = createClient(DteIssuerService, transport('billing'));
  const known = await issuers.getDteIssuer({}, admin);
  // The authority no longer has the certificate when its folder was deleted.
  const { certificates } = (await (await fetch(`${authority}/simulator`)).json()) as { certificates: string[] };
  if (known.nit && (known.nit !== NIT || (known.ready && certificates.includes(NIT)))) return;
  if (!known.nit) await issuers.setDteIssuer(ISSUER, admin);
  const body = JSON.stringify({ nit: NIT, password: PASSWORD });
  const made = await fetch(`${authority}/simulator/certificates`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { xml } = (await made.json()) as { xml: string };
  await issuers.setDteCertificate({ certificate: xml, password: PASSWORD }, admin);
}
