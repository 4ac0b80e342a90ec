// Who a document is for: what must be known of the receiver, and how a document says it.
import { type Address, addressFault, type Fault, writeAddress } from './address.ts';
import { type Amount, Decimal } from './amounts.ts';
import { ACTIVITIES, type Catalogs, entryOf } from './catalogs.ts';
import { DOCUMENT_TYPES, DUI, dashed, isNit, isNrc, NIT, numberFault } from './id-numbers.ts';
import type { Generation, Kind } from './kinds.ts';

export type Receiver = {
  name: string;
  tradeName: string | null;
  /** CAT-022, with its number without dashes. */
  documentType: string | null;
  documentNumber: string | null;
  nrc: string | null;
  /** CAT-019. */
  activity: string | null;
  address: Address | null;
  phone: string | null;
  email: string | null;
  /** Who buys as a large taxpayer withholds 1 % of the net price. */
  isLargeTaxpayer: boolean;
};

/** What the schemas before 2026 have written into them. */
const LEGACY_THRESHOLD = new Decimal(1095);

/** What is wrong with a receiver, whatever the document. */
export function receiverFault(catalogs: Catalogs, receiver: Receiver): Fault | undefined {
  const fault = (field: string, message: string): Fault => ({ path: `receiver.${field}`, message });
  if (receiver.name.length < 1 || receiver.name.length > 200) return fault('name', 'must have 1 to 200 characters');
  if (receiver.tradeName !== null && receiver.tradeName.length > 150) return fault('tradeName', 'must have at most 150 characters');
  if ((receiver.documentType === null) !== (receiver.documentNumber === null)) return fault('documentNumber', 'must come together with documentType');
  if (receiver.documentType !== null && receiver.documentNumber !== null) {
    if (!DOCUMENT_TYPES.some((type) => type === receiver.documentType)) return fault('documentType', `must be one of ${DOCUMENT_TYPES.join(', ')}`);
    const wrong = numberFault(receiver.documentType, receiver.documentNumber);
    if (wrong) return fault('documentNumber', wrong);
  }
  if (receiver.nrc !== null && !isNrc(receiver.nrc)) return fault('nrc', 'must have 2 to 8 digits');
  if (receiver.activity !== null && !entryOf(catalogs, ACTIVITIES, receiver.activity)) return fault('activity', 'must be a code of CAT-019');
  if (receiver.phone !== null && (receiver.phone.length < 8 || receiver.phone.length > 30)) return fault('phone', 'must have 8 to 30 characters');
  if (receiver.email !== null && (receiver.email.length < 6 || receiver.email.length > 100)) return fault('email', 'must have 6 to 100 characters');
  return receiver.address === null ? undefined : addressFault(catalogs, 'receiver.address', receiver.address);
}

/**
 * What this document still has to know of its receiver. A factura from the threshold on names and identifies (CT 119-G);
 * a crédito fiscal is for a registered taxpayer with all that the authority knows of one.
 */
export function missingOf(kind: Kind, generation: Generation, receiver: Receiver | null, operation: Amount, threshold: Amount): Fault | undefined {
  const missing = (field: string, message = 'is required for this document'): Fault => ({ path: field ? `receiver.${field}` : 'receiver', message });
  if (kind === '01') {
    const limit = generation === 'legacy' ? Decimal.min(threshold, LEGACY_THRESHOLD) : threshold;
    if (operation.lt(limit)) return undefined;
    return receiver?.documentNumber
      ? undefined
      : missing(receiver ? 'documentNumber' : '', `is required from ${limit.toFixed(2)} on: name, type and number of a document`);
  }
  if (!receiver) return missing('');
  if (receiver.documentType !== NIT || !receiver.documentNumber || !isNit(receiver.documentNumber))
    return missing('documentNumber', 'must be the NIT of the taxpayer');
  for (const field of ['nrc', 'activity', 'address', 'email'] as const) if (receiver[field] === null) return missing(field);
  return undefined;
}

/** The receptor of a factura; null stands for a consumer who is not named. */
export function writeConsumer(catalogs: Catalogs, receiver: Receiver | null, generation: Generation) {
  if (!receiver) return null;
  const { documentType, documentNumber } = receiver;
  return {
    tipoDocumento: documentType,
    numDocumento: documentType === DUI && documentNumber && generation === 'legacy' ? dashed(documentNumber) : documentNumber,
    nrc: documentType === NIT ? receiver.nrc : null,
    nombre: receiver.name,
    codActividad: receiver.activity,
    descActividad: receiver.activity && describeActivity(catalogs, receiver.activity),
    direccion: receiver.address && writeAddress(receiver.address, generation),
    telefono: receiver.phone,
    correo: receiver.email,
  };
}

/** The receptor of a crédito fiscal or its note; call it only when nothing is missing. */
export function writeTaxpayer(catalogs: Catalogs, receiver: Receiver, kind: '03' | '05', generation: Generation) {
  const { documentNumber, address, activity } = receiver;
  if (!documentNumber || !address || !activity) throw new Error('a taxpayer is named in full');
  const current = kind === '05' && generation === 'current';
  return {
    ...(current ? { tipoDocumento: NIT, numDocumento: documentNumber } : { nit: documentNumber }),
    nrc: receiver.nrc,
    nombre: receiver.name,
    codActividad: activity,
    descActividad: describeActivity(catalogs, activity),
    nombreComercial: receiver.tradeName,
    direccion: writeAddress(address, generation),
    telefono: receiver.phone,
    correo: receiver.email,
  };
}

/** The official name of an activity, as long as the schemas allow. */
export function describeActivity(catalogs: Catalogs, code: string): string {
  const name = entryOf(catalogs, ACTIVITIES, code)?.value ?? code;
  return name.slice(0, 150).padEnd(5, '.');
}
