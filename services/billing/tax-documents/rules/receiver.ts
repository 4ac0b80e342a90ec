// Receivers of documents: which fields a document requires, and its `receptor`.
import { type Address, addressFault, type Fault, toDireccion } from './address.ts';
import { type Amount, Decimal } from './amounts.ts';
import { ACTIVITIES, activityName, type Catalogs, findEntry } from './catalogs.ts';
import { emailFault } from './email.ts';
import { documentFault, formatNumber, isNit, isNrc, NIT } from './id-numbers.ts';
import type { Generation, Kind } from './kinds.ts';

export type Receiver = {
  name: string;
  tradeName: string | null;
  /** CAT-022. */
  documentType: string | null;
  /** Without dashes. */
  documentNumber: string | null;
  nrc: string | null;
  /** CAT-019. */
  activity: string | null;
  address: Address | null;
  phone: string | null;
  email: string | null;
  /** A large taxpayer (gran contribuyente) withholds 1 % of the net price. */
  isLargeTaxpayer: boolean;
};

/** The threshold that the legacy schemas contain. */
const LEGACY_THRESHOLD = new Decimal(1095);

/** What is wrong with a receiver, for any kind of document. */
export function receiverFault(catalogs: Catalogs, receiver: Receiver): Fault | undefined {
  const fault = (field: string, message: string): Fault => ({ path: `receiver.${field}`, message });
  if (receiver.name.length < 1 || receiver.name.length > 200) return fault('name', 'must have 1 to 200 characters');
  if (receiver.tradeName !== null && receiver.tradeName.length > 150) return fault('tradeName', 'must have at most 150 characters');
  if ((receiver.documentType === null) !== (receiver.documentNumber === null)) return fault('documentNumber', 'must be sent together with documentType');
  if (receiver.documentType !== null && receiver.documentNumber !== null) {
    const wrong = documentFault('receiver', receiver.documentType, receiver.documentNumber);
    if (wrong) return wrong;
  }
  if (receiver.nrc !== null && !isNrc(receiver.nrc)) return fault('nrc', 'must have 2 to 8 digits');
  if (receiver.activity !== null && !findEntry(catalogs, ACTIVITIES, receiver.activity)) return fault('activity', 'must be a code of CAT-019');
  if (receiver.phone !== null && (receiver.phone.length < 8 || receiver.phone.length > 30)) return fault('phone', 'must have 8 to 30 characters');
  return (
    (receiver.email === null ? undefined : emailFault('receiver.email', receiver.email)) ??
    (receiver.address === null ? undefined : addressFault(catalogs, 'receiver.address', receiver.address))
  );
}

/**
 * The first field that this document requires of its receiver and that is missing or not suitable. A factura of the threshold or more identifies its
 * receiver (Código Tributario, article 119-G); a crédito fiscal and its notes are for a registered taxpayer.
 */
export function requiredReceiverFault(kind: Kind, generation: Generation, receiver: Receiver | null, operation: Amount, threshold: Amount): Fault | undefined {
  const missing = (field: string, message = 'is required for this document'): Fault => ({ path: field ? `receiver.${field}` : 'receiver', message });
  if (kind === '01') {
    const limit = generation === 'legacy' ? Decimal.min(threshold, LEGACY_THRESHOLD) : threshold;
    if (operation.lt(limit)) return undefined;
    return receiver?.documentNumber
      ? undefined
      : missing(receiver ? 'documentNumber' : '', `is required from ${limit.toFixed(2)} on, with name and documentType`);
  }
  if (!receiver) return missing('');
  if (receiver.documentType !== NIT || !receiver.documentNumber || !isNit(receiver.documentNumber))
    return missing('documentNumber', 'must be the NIT of the taxpayer');
  for (const field of ['nrc', 'activity', 'address', 'email'] as const) if (receiver[field] === null) return missing(field);
  return undefined;
}

/** The `receptor` of a factura. */
export function toConsumer(catalogs: Catalogs, receiver: Receiver, generation: Generation) {
  const { documentType, documentNumber } = receiver;
  return {
    tipoDocumento: documentType,
    numDocumento: documentNumber && formatNumber(documentType, documentNumber, generation),
    nrc: documentType === NIT ? receiver.nrc : null,
    nombre: receiver.name,
    codActividad: receiver.activity,
    descActividad: receiver.activity && activityName(catalogs, receiver.activity),
    direccion: receiver.address && toDireccion(receiver.address, generation),
    telefono: receiver.phone,
    correo: receiver.email,
  };
}

/** The `receptor` of a crédito fiscal or its notes, for a receiver with all required fields. */
export function toTaxpayer(catalogs: Catalogs, receiver: Receiver, kind: Kind, generation: Generation) {
  const { documentNumber, address, activity } = receiver;
  if (!documentNumber || !address || !activity) throw new Error('a taxpayer must have NIT, address and activity');
  const current = kind === '05' && generation === 'current';
  return {
    ...(current ? { tipoDocumento: NIT, numDocumento: documentNumber } : { nit: documentNumber }),
    nrc: receiver.nrc,
    nombre: receiver.name,
    codActividad: activity,
    descActividad: activityName(catalogs, activity),
    nombreComercial: receiver.tradeName,
    direccion: toDireccion(address, generation),
    telefono: receiver.phone,
    correo: receiver.email,
  };
}
