// The issuer: the clinic as the tax authority knows it, and its `emisor` in documents.
import { NIT_RULE } from '@clinic/lib/formats/nit.ts';
import { type Address, addressFault, type Fault, toDireccion } from './address.ts';
import { ACTIVITIES, activityName, type Catalogs, findEntry } from './catalogs.ts';
import { establishmentType } from './document-numbers.ts';
import { emailFault } from './email.ts';
import { isNit, isNrc, type Person, personFault } from './id-numbers.ts';
import type { Environment, Generation, Kind } from './kinds.ts';

export type Issuer = {
  environment: Environment;
  nit: string;
  nrc: string;
  name: string;
  tradeName: string | null;
  activity: string;
  address: Address;
  phone: string;
  email: string;
  isLargeTaxpayer: boolean;
  /** Whether receivers are mailed each document as soon as the authority has sealed it. */
  mailsReceivers: boolean;
  /** The person responsible for invalidations and contingencies. */
  responsible: Person;
};

export type PointOfSale = { establishment: string; code: string };

export function issuerFault(catalogs: Catalogs, issuer: Issuer): Fault | undefined {
  const length = (path: string, text: string, min: number, max: number): Fault | undefined =>
    text.length < min || text.length > max ? { path, message: `must have ${min} to ${max} characters` } : undefined;
  if (!isNit(issuer.nit)) return { path: 'nit', message: NIT_RULE };
  if (!isNrc(issuer.nrc)) return { path: 'nrc', message: 'must have 2 to 8 digits' };
  if (!findEntry(catalogs, ACTIVITIES, issuer.activity)) return { path: 'activity', message: 'must be a code of CAT-019' };
  return (
    length('name', issuer.name, 5, 200) ??
    (issuer.tradeName === null ? undefined : length('tradeName', issuer.tradeName, 1, 150)) ??
    (/^[0-9+;]{8,26}$/.test(issuer.phone) ? undefined : { path: 'phone', message: 'must have 8 to 26 digits' }) ??
    emailFault('email', issuer.email) ??
    personFault('responsible', issuer.responsible) ??
    length('responsible.documentNumber', issuer.responsible.documentNumber, 5, 20) ??
    addressFault(catalogs, 'address', issuer.address)
  );
}

/** The `emisor` of a document. */
export function toEmisor(catalogs: Catalogs, issuer: Issuer, { establishment, code }: PointOfSale, kind: Kind, generation: Generation) {
  const legacy = generation === 'legacy';
  // The legacy factura requires 5 characters, so a shorter trade name is left out there.
  const tradeName = legacy && kind === '01' && issuer.tradeName !== null && issuer.tradeName.length < 5 ? null : issuer.tradeName;
  const pointOfSale = legacy
    ? { codEstableMH: establishment, codEstable: establishment, codPuntoVentaMH: code, codPuntoVenta: code }
    : { codEstable: establishment, codPuntoVenta: code };
  return {
    nit: issuer.nit,
    nrc: issuer.nrc,
    nombre: issuer.name,
    codActividad: issuer.activity,
    descActividad: activityName(catalogs, issuer.activity),
    nombreComercial: tradeName,
    ...(legacy && { tipoEstablecimiento: establishmentType(establishment) }),
    direccion: toDireccion(issuer.address, generation),
    telefono: issuer.phone,
    correo: issuer.email,
    ...(kind === '05' ? {} : pointOfSale),
  };
}
