// Who issues: the clinic as the authority knows it, and how a document says it.
import { type Address, addressFault, type Fault, writeAddress } from './address.ts';
import { ACTIVITIES, type Catalogs, entryOf } from './catalogs.ts';
import { DOCUMENT_TYPES, isNit, isNrc, numberFault } from './id-numbers.ts';
import type { Generation, Kind } from './kinds.ts';
import { establishmentType } from './document-numbers.ts';
import { describeActivity } from './receiver.ts';

export type Issuer = {
  /** 00 tests, 01 in earnest. */
  environment: '00' | '01';
  nit: string;
  nrc: string;
  name: string;
  tradeName: string | null;
  activity: string;
  address: Address;
  phone: string;
  email: string;
  isLargeTaxpayer: boolean;
  /** Whether a sealed document is mailed to its receiver by itself. */
  mailsReceivers: boolean;
  /** Who answers for the events. */
  responsible: { name: string; documentType: string; documentNumber: string };
};

export type PointOfSale = { establishment: string; code: string };

export function issuerFault(catalogs: Catalogs, issuer: Issuer): Fault | undefined {
  const length = (path: string, text: string, least: number, most: number): Fault | undefined =>
    text.length < least || text.length > most ? { path, message: `must have ${least} to ${most} characters` } : undefined;
  if (!isNit(issuer.nit)) return { path: 'nit', message: 'must be a NIT of 14 digits, or a DUI' };
  if (!isNrc(issuer.nrc)) return { path: 'nrc', message: 'must have 2 to 8 digits' };
  if (!entryOf(catalogs, ACTIVITIES, issuer.activity)) return { path: 'activity', message: 'must be a code of CAT-019' };
  const { responsible } = issuer;
  if (!DOCUMENT_TYPES.some((type) => type === responsible.documentType))
    return { path: 'responsible.documentType', message: `must be one of ${DOCUMENT_TYPES.join(', ')}` };
  const wrong = numberFault(responsible.documentType, responsible.documentNumber);
  return (
    length('name', issuer.name, 5, 200) ??
    (issuer.tradeName === null ? undefined : length('tradeName', issuer.tradeName, 1, 150)) ??
    (/^[0-9+;]{8,26}$/.test(issuer.phone) ? undefined : { path: 'phone', message: 'must have 8 to 26 digits' }) ??
    length('email', issuer.email, 6, 100) ??
    length('responsible.name', responsible.name, 5, 100) ??
    (wrong ? { path: 'responsible.documentNumber', message: wrong } : undefined) ??
    addressFault(catalogs, 'address', issuer.address)
  );
}

/** The emisor of a document. */
export function writeIssuer(catalogs: Catalogs, issuer: Issuer, at: PointOfSale, kind: Kind, generation: Generation) {
  const legacy = generation === 'legacy';
  // The older factura alone asks for 5 characters; who trades under a shorter name is known by the legal one there.
  const tradeName = legacy && kind === '01' && issuer.tradeName !== null && issuer.tradeName.length < 5 ? null : issuer.tradeName;
  const { establishment, code } = at;
  const place = legacy
    ? { codEstableMH: establishment, codEstable: establishment, codPuntoVentaMH: code, codPuntoVenta: code }
    : { codEstable: establishment, codPuntoVenta: code };
  return {
    nit: issuer.nit,
    nrc: issuer.nrc,
    nombre: issuer.name,
    codActividad: issuer.activity,
    descActividad: describeActivity(catalogs, issuer.activity),
    nombreComercial: tradeName,
    ...(legacy && { tipoEstablecimiento: establishmentType(establishment) }),
    direccion: writeAddress(issuer.address, generation),
    telefono: issuer.phone,
    correo: issuer.email,
    ...(kind === '05' ? {} : place),
  };
}
