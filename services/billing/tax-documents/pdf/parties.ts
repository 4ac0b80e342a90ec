// The issuer and the receiver of a tax document, in two columns.
import { BOLD, contentWidth, drawRule, FAINT, INK, type Pdf, REGULAR } from '@clinic/lib/pdf/pdf.ts';
import type { WrittenAddress } from '../rules/address.ts';
import { drawField, MARGIN } from './layout.ts';

export type Party = {
  nombre: string;
  nombreComercial?: string | null;
  nit?: string;
  tipoDocumento?: string | null;
  numDocumento?: string | null;
  nrc: string | null;
  descActividad: string | null;
  direccion: WrittenAddress | null;
  telefono: string | null;
  correo: string | null;
};

export type FormatAddress = (address: WrittenAddress) => string;

/** CAT-022. */
const DOCUMENT_TYPES: Record<string, string> = { '36': 'NIT', '13': 'DUI', '37': 'Documento', '03': 'Pasaporte', '02': 'Carnet de residente' };
const GAP = 18;

export function drawParties(pdf: Pdf, issuer: Party, receiver: Party | null, formatAddress: FormatAddress): void {
  const width = (contentWidth(pdf) - GAP) / 2;
  const top = pdf.y;
  drawParty(pdf, 'Emisor', issuer.nombre, fieldsOf(issuer, formatAddress), MARGIN, width);
  const left = pdf.y;
  pdf.y = top;
  drawParty(pdf, 'Receptor', receiver?.nombre ?? 'Consumidor final', receiver ? fieldsOf(receiver, formatAddress) : [], MARGIN + width + GAP, width);
  pdf.y = Math.max(left, pdf.y) + 6;
  drawRule(pdf);
  pdf.y += 8;
}

type Field = [label: string, value: string | null | undefined];

function drawParty(pdf: Pdf, title: string, name: string, fields: Field[], x: number, width: number): void {
  pdf.font(REGULAR).fontSize(8).fillColor(FAINT).text(title, x, pdf.y, { width });
  pdf.font(BOLD).fontSize(10).fillColor(INK).text(name, x, pdf.y, { width });
  for (const [label, value] of fields) if (value) drawField(pdf, label, value, width, x);
}

function fieldsOf(party: Party, formatAddress: FormatAddress): Field[] {
  return [
    ['Nombre comercial', party.nombreComercial],
    ['NIT', party.nit],
    [DOCUMENT_TYPES[party.tipoDocumento ?? ''] ?? 'Documento', party.numDocumento],
    ['NRC', party.nrc],
    ['Actividad', party.descActividad],
    ['Dirección', party.direccion && formatAddress(party.direccion)],
    ['Teléfono', party.telefono],
    ['Correo', party.correo],
  ];
}
