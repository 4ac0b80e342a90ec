// Changes of the issuer of tax documents, and of the tax profiles of patients.
import { expect } from '@jest/globals';
import { issueCertificate } from '../../scripts/dev/dte-simulator/certificate.ts';
import { expectStatus } from '../api.ts';
import { addPatient, PASSWORD } from '../clinic.ts';
import { type Changes, type Context, plain, type Target } from './change.ts';

const ISSUER = {
  environment: 'test',
  nit: '06140202901024',
  nrc: '1234567',
  name: 'Clínica de Prueba, S.A. de C.V.',
  address: { department: '06', municipality: '23', district: '14', line: 'Calle de Prueba 123' },
  phone: '22220000',
  email: 'dte@example.com',
  responsible: { name: 'María Responsable', documentType: '13', documentNumber: '012345678' },
};
const OTHER_ADDRESS = { ...ISSUER.address, line: 'Otra calle 456' };

export async function billingChanges({ api, clinic, body, get, at }: Context): Promise<Changes> {
  const issuer = async (): Promise<Target> => {
    await body(200, api.put('/api/dte/issuer', ISSUER, clinic));
    return { read: () => get('/api/dte/issuer') };
  };
  const first = issueCertificate(ISSUER.nit, PASSWORD).xml;
  const second = { certificate: issueCertificate(ISSUER.nit, 'Otra-Clave-2').xml, password: 'Otra-Clave-2' };
  const certified = async (): Promise<Target> => {
    const target = await issuer();
    await body(200, api.put('/api/dte/issuer/certificate', { certificate: first, password: PASSWORD }, clinic));
    return target;
  };
  const { certificate_fingerprint: firstFingerprint } = await (await certified()).read();
  const otherFingerprint = { certificate_fingerprint: expect.not.stringContaining(firstFingerprint) };

  return {
    'PUT /api/dte/issuer': {
      record: issuer,
      with: ISSUER,
      replaces: true,
      fields: {
        ...plain({
          environment: 'production',
          nit: '06140303901031',
          nrc: '7654321',
          name: 'Otra Clínica',
          tradeName: 'La Otra',
          activity: '36000',
          address: OTHER_ADDRESS,
          phone: '22221111',
          email: 'otra@example.com',
          isLargeTaxpayer: true,
          pointsOfSale: [{ establishment: 'S002', code: 'P003' }],
          mailReceivers: false,
        }),
        responsible: {
          value: { ...ISSUER.responsible, name: 'Otra Responsable' },
          shown: { responsible: { name: 'Otra Responsable', document_type: '13', document_number: '012345678' } },
        },
        provider: { value: { user: 'usuario', password: 'clave' }, shown: { has_provider: true } },
      },
    },
    'PUT /api/dte/issuer/certificate': {
      record: certified,
      with: second,
      fields: {
        certificate: { value: second.certificate, shown: otherFingerprint },
        password: {
          value: second.password,
          shown: otherFingerprint,
          prove: async () => {
            await expectStatus(400, api.put('/api/dte/issuer/certificate', { ...second, password: PASSWORD }, clinic));
          },
        },
      },
    },
    'PUT /api/patients/:id/tax-profile': {
      record: async () => {
        const { id } = await addPatient(api, clinic);
        return at(`/api/patients/${id}/tax-profile`, { id });
      },
      with: { documentType: '13', documentNumber: '012345678' },
      replaces: true,
      fields: {
        ...plain({
          name: 'Otro Nombre',
          tradeName: 'Negocio',
          documentType: '37',
          documentNumber: '000162975',
          nrc: '7654321',
          activity: '36000',
          address: OTHER_ADDRESS,
          phone: '22221111',
          email: 'otro@example.com',
          isLargeTaxpayer: true,
        }),
      },
    },
  };
}
