// Issuer, items and receivers for property tests of tax documents.
import { duiCheckDigit } from '@clinic/lib/formats/dui.ts';
import fc from 'fast-check';
import { loadCatalogs } from '../tax-documents/load-catalogs.ts';
import { DISTRICTS, MUNICIPALITIES } from '../tax-documents/rules/catalogs.ts';
import type { Issuer } from '../tax-documents/rules/issuer.ts';
import type { Receiver } from '../tax-documents/rules/receiver.ts';
import type { Item } from '../tax-documents/rules/totals.ts';

export const catalogs = loadCatalogs();

export const issuer: Issuer = {
  environment: '00',
  nit: '06140101901015',
  nrc: '1234567',
  name: 'CLINICA DE PRUEBA, S.A. DE C.V.',
  tradeName: 'CLINICA DE PRUEBA',
  activity: '86202',
  address: { department: '06', municipality: '23', district: '14', line: 'CALLE DE PRUEBA 123' },
  phone: '22220000',
  email: 'dte@example.com',
  isLargeTaxpayer: false,
  mailsReceivers: true,
  responsible: { name: 'María Responsable', documentType: '13', documentNumber: '012345678' },
};

export const taxpayer: Receiver = {
  name: 'CONTRIBUYENTE DE PRUEBA',
  tradeName: null,
  documentType: '36',
  documentNumber: '06140202901024',
  nrc: '7654321',
  activity: '36000',
  address: { department: '06', municipality: '23', district: '14', line: 'AVENIDA DE PRUEBA 456' },
  phone: '22220001',
  email: 'receptor@example.com',
  isLargeTaxpayer: false,
};

export const dui = fc.integer({ min: 1, max: 99_999_999 }).map((number) => {
  const body = String(number).padStart(8, '0');
  return `${body}${duiCheckDigit(body)}`;
});

const price = fc.oneof(
  fc.integer({ min: 0, max: 200_000 }).map((cents) => cents / 100),
  fc.integer({ min: 1, max: 999_999 }).map((tiny) => Number(`${tiny}e-4`)),
);
const word = fc.stringMatching(/^[a-zA-ZñÑáéíóú ]{3,40}$/).map((text) => `x${text.trim()}`);

const item: fc.Arbitrary<Item> = fc
  .record({
    description: word,
    quantity: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(0.5, 1.25, 2.333)),
    unitPrice: price,
    share: fc.constantFrom(0, 0, 0, 0.1, 0.333, 1),
    kind: fc.constantFrom('service' as const, 'good' as const, 'both' as const),
  })
  .map(({ share, ...rest }) => ({ ...rest, discount: Math.floor(rest.unitPrice * rest.quantity * share * 100) / 100 }));

export const items = fc.array(item, { minLength: 1, maxLength: 12 });

const district = fc.constantFrom(...(catalogs.get(DISTRICTS) ?? []).filter(({ parent }) => parent !== '00'));
const address = district.chain(({ code, parent = '' }) => {
  const municipalities = (catalogs.get(MUNICIPALITIES) ?? []).filter((one) => one.parent === parent).map((one) => one.code);
  return fc.constantFrom(...municipalities).map((municipality) => ({ department: parent, municipality, district: code, line: 'Colonia Escalón, casa 4' }));
});

const identified = fc.oneof(
  dui.map((documentNumber) => ({ documentType: '13', documentNumber })),
  fc.stringMatching(/^\d{14}$/).map((documentNumber) => ({ documentType: '36', documentNumber })),
  fc
    .stringMatching(/^[A-Z]\d{6,8}$/)
    .map((documentNumber) => ({ documentType: fc.sample(fc.constantFrom('37', '03', '02'), { numRuns: 1, seed: 1 })[0] ?? '37', documentNumber })),
);
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null });
const activity = fc.constantFrom('86202', '36000', '62010');

export const consumer: fc.Arbitrary<Receiver> = fc
  .record({
    name: word,
    who: fc.option(identified, { nil: { documentType: null, documentNumber: null } }),
    nrc: maybe(fc.stringMatching(/^\d{2,8}$/)),
    activity: maybe(activity),
    address: maybe(address),
    phone: maybe(fc.constant('22334455')),
    email: maybe(fc.constant('alguien@example.com')),
    isLargeTaxpayer: fc.boolean(),
  })
  .map(({ who, ...rest }) => ({ ...rest, ...who, tradeName: null }));

export const registered: fc.Arbitrary<Receiver> = fc
  .record({
    name: word,
    tradeName: maybe(word),
    nrc: fc.stringMatching(/^\d{2,8}$/),
    activity,
    address,
    phone: maybe(fc.constant('22334455')),
    isLargeTaxpayer: fc.boolean(),
  })
  .map((rest) => ({ ...rest, documentType: '36', documentNumber: '06140202901024', email: 'compras@example.com' }));
