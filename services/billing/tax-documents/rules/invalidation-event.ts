// Builds the event that takes a sealed document back, and says until when that may be.
import type { Amount } from './amounts.ts';
import { DUI, dashed } from './id-numbers.ts';
import type { Issuer, PointOfSale } from './issuer.ts';
import { type Generation, type Kind, versionOf } from './kinds.ts';
import { establishmentType } from './document-numbers.ts';

export type Person = { name: string; documentType: string; documentNumber: string };

export type Invalidation = {
  generation: Generation;
  code: string;
  day: string;
  time: string;
  issuer: Issuer;
  at: PointOfSale;
  document: {
    kind: Kind;
    code: string;
    seal: string;
    controlNumber: string;
    day: string;
    iva: Amount;
    receiver: (Person & { phone: string | null; email: string | null }) | null;
  };
  /** CAT-024: 1 an error, 2 the operation is undone, 3 another reason. */
  type: 1 | 2 | 3;
  reason: string | null;
  /** Code of the sealed document that stands in its place, for 1 and 3. */
  replacement: string | null;
  requestedBy: Person;
};

export function writeInvalidation(event: Invalidation) {
  const { generation, issuer, at, document, requestedBy } = event;
  const legacy = generation === 'legacy';
  // The older schema has no document without a receiver: whoever asked stands for the unnamed consumer.
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
      ...(legacy && { tipoEstablecimiento: establishmentType(at.establishment), nomEstablecimiento: null }),
      codEstableMH: at.establishment,
      codEstable: at.establishment,
      codPuntoVentaMH: at.code,
      codPuntoVenta: at.code,
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
      numDocumento: receiver && spell(receiver, legacy),
      nombre: receiver && (legacy ? receiver.name.slice(0, 200).padEnd(5, '.') : receiver.name),
      ...writeContact(receiver, issuer, legacy),
    },
    motivo: {
      tipoAnulacion: event.type,
      motivoAnulacion: event.reason,
      nombreResponsable: issuer.responsible.name,
      tipDocResponsable: issuer.responsible.documentType,
      numDocResponsable: spell(issuer.responsible, legacy),
      nombreSolicita: requestedBy.name,
      tipDocSolicita: requestedBy.documentType,
      numDocSolicita: spell(requestedBy, legacy),
    },
  };
}

const spell = ({ documentType, documentNumber }: Person, legacy: boolean) => (legacy && documentType === DUI ? dashed(documentNumber) : documentNumber);

/** The older schema knows phones of digits alone, and wants an address to write to. */
function writeContact(receiver: { phone: string | null; email: string | null } | null, issuer: Issuer, legacy: boolean) {
  const { phone, email } = receiver ?? { phone: null, email: null };
  if (!legacy) return { telefono: phone, correo: email };
  return { telefono: phone && /^[0-9+;]{8,50}$/.test(phone) ? phone : null, correo: email ?? issuer.email };
}
