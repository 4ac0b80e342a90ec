// Builds the event that invalidates a sealed document.
import type { Amount } from './amounts.ts';
import { establishmentType } from './document-numbers.ts';
import { formatNumber, type Person } from './id-numbers.ts';
import type { Issuer, PointOfSale } from './issuer.ts';
import { type Generation, type Kind, versionOf } from './kinds.ts';

export type InvalidationReason = {
  /** CAT-024: 1 error, 2 the operation was cancelled, 3 another reason. */
  type: 1 | 2 | 3;
  reason: string | null;
};

export type Invalidation = InvalidationReason & {
  generation: Generation;
  code: string;
  day: string;
  time: string;
  issuer: Issuer;
  pointOfSale: PointOfSale;
  document: {
    kind: Kind;
    code: string;
    seal: string;
    controlNumber: string;
    day: string;
    iva: Amount;
    receiver: (Person & { phone: string | null; email: string | null }) | null;
  };
  /** Generation code of the sealed document that replaces it, for 1 and 3. */
  replacement: string | null;
  requestedBy: Person;
};

export function buildInvalidationEvent(event: Invalidation) {
  const { generation, issuer, pointOfSale, document, requestedBy } = event;
  const legacy = generation === 'legacy';
  // The legacy schema requires a receiver: the person who requests the invalidation takes the place of an unnamed consumer.
  const receiver = document.receiver ?? (legacy ? { ...requestedBy, phone: null, email: null } : null);
  return {
    identificacion: {
      version: versionOf('invalidation', generation),
      ambiente: issuer.environment,
      codigoGeneracion: event.code,
      ...(legacy ? { fecAnula: event.day, horAnula: event.time } : { fecEmi: event.day, horEmi: event.time, fusion: null }),
    },
    emisor: {
      nit: issuer.nit,
      nombre: issuer.name,
      ...(legacy && { tipoEstablecimiento: establishmentType(pointOfSale.establishment), nomEstablecimiento: null }),
      codEstableMH: pointOfSale.establishment,
      codEstable: pointOfSale.establishment,
      codPuntoVentaMH: pointOfSale.code,
      codPuntoVenta: pointOfSale.code,
      telefono: issuer.phone,
      correo: issuer.email,
    },
    documento: {
      tipoDte: document.kind,
      codigoGeneracion: document.code,
      selloRecibido: document.seal,
      numeroControl: document.controlNumber,
      fecEmi: document.day,
      ...(legacy && { montoIva: document.iva.toNumber() }),
      codigoGeneracionR: event.replacement,
      tipoDocumento: receiver?.documentType ?? null,
      numDocumento: receiver && formatNumber(receiver.documentType, receiver.documentNumber, generation),
      nombre: receiver && (legacy ? [...receiver.name].slice(0, 200).join('').padEnd(5, '.') : receiver.name),
      ...toContact(receiver, issuer, legacy),
    },
    motivo: {
      tipoAnulacion: event.type,
      motivoAnulacion: event.reason,
      nombreResponsable: issuer.responsible.name,
      tipDocResponsable: issuer.responsible.documentType,
      numDocResponsable: formatNumber(issuer.responsible.documentType, issuer.responsible.documentNumber, generation),
      nombreSolicita: requestedBy.name,
      tipDocSolicita: requestedBy.documentType,
      numDocSolicita: formatNumber(requestedBy.documentType, requestedBy.documentNumber, generation),
    },
  };
}

/** The legacy schema accepts phones of digits only, and requires an e-mail address. */
function toContact(receiver: { phone: string | null; email: string | null } | null, issuer: Issuer, legacy: boolean) {
  const { phone, email } = receiver ?? { phone: null, email: null };
  if (!legacy) return { telefono: phone, correo: email };
  return { telefono: phone && /^[0-9+;]{8,50}$/.test(phone) ? phone : null, correo: email ?? issuer.email };
}
