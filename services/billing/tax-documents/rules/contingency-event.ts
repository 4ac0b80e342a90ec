// Builds the contingency event, which lists the documents that were issued while the authority was unavailable.
import { establishmentType } from './document-numbers.ts';
import { formatNumber } from './id-numbers.ts';
import type { Contingency } from './identification.ts';
import type { Issuer, PointOfSale } from './issuer.ts';
import { type Generation, type Kind, versionOf } from './kinds.ts';

/** The most documents that one event may list. */
export const MAX_DOCUMENTS = 1000;

type Moment = { day: string; time: string };

type ContingencyEvent = {
  generation: Generation;
  code: string;
  sent: Moment;
  issuer: Issuer;
  pointOfSale: PointOfSale;
  from: Moment;
  to: Moment;
  documents: { kind: Kind; code: string }[];
  contingency: Contingency;
};

export function buildContingencyEvent({ generation, code, sent, issuer, pointOfSale, from, to, documents, contingency }: ContingencyEvent) {
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
      numeroDocResponsable: formatNumber(responsible.documentType, responsible.documentNumber, generation),
      tipoEstablecimiento: establishmentType(pointOfSale.establishment),
      codEstableMH: pointOfSale.establishment,
      [legacy ? 'codPuntoVenta' : 'codPuntoVentaMH']: pointOfSale.code,
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
