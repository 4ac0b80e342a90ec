// Builds the event that tells the authority which documents were issued while it could not be reached.

import type { Contingency } from './identification.ts';
import { DUI, dashed } from './id-numbers.ts';
import type { Issuer, PointOfSale } from './issuer.ts';
import { type Generation, type Kind, versionOf } from './kinds.ts';
import { establishmentType } from './document-numbers.ts';

/** The most documents of one event. */
export const MOST_DOCUMENTS = 1000;

export type Moment = { day: string; time: string };

export type ContingencyEvent = {
  generation: Generation;
  code: string;
  sent: Moment;
  issuer: Issuer;
  at: PointOfSale;
  from: Moment;
  to: Moment;
  documents: { kind: Kind; code: string }[];
  contingency: Contingency;
};

export function writeContingencyEvent({ generation, code, sent, issuer, at, from, to, documents, contingency }: ContingencyEvent) {
  const legacy = generation === 'legacy';
  const { responsible } = issuer;
  return {
    identificacion: {
      version: versionOf('contingency', generation),
      ambiente: issuer.environment,
      codigoGeneracion: code,
      fTransmision: sent.day,
      hTransmision: sent.time,
    },
    emisor: {
      nit: issuer.nit,
      nombre: issuer.name,
      nombreResponsable: responsible.name,
      tipoDocResponsable: responsible.documentType,
      numeroDocResponsable: legacy && responsible.documentType === DUI ? dashed(responsible.documentNumber) : responsible.documentNumber,
      tipoEstablecimiento: establishmentType(at.establishment),
      codEstableMH: at.establishment,
      [legacy ? 'codPuntoVenta' : 'codPuntoVentaMH']: at.code,
      telefono: issuer.phone,
      correo: issuer.email,
    },
    detalleDTE: documents.map((document, index) => ({ noItem: index + 1, codigoGeneracion: document.code, tipoDoc: document.kind })),
    motivo: {
      fInicio: from.day,
      fFin: to.day,
      hInicio: from.time,
      hFin: to.time,
      tipoContingencia: contingency.type,
      motivoContingencia: contingency.reason,
    },
  };
}
