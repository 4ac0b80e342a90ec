// Who issues and who receives, side by side.

import { printable } from '@clinic/lib/formats/printable.ts';
import type { WrittenAddress } from '../rules/address.ts';
import { FAINT, fact, INK, MARGIN, type Paper, RULE, WIDTH } from './paper.ts';

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

export type Spell = (address: WrittenAddress) => string;

/** CAT-022. */
const DOCUMENTS: Record<string, string> = { '36': 'NIT', '13': 'DUI', '37': 'Documento', '03': 'Pasaporte', '02': 'Carnet de residente' };
const GAP = 18;

/** `spell` writes an address in full. */
export function drawParties(paper: Paper, issuer: Party, receiver: Party | null, spell: Spell): void {
  const width = (WIDTH - GAP) / 2;
  const top = paper.y;
  drawParty(paper, 'Emisor', issuer, MARGIN, width, spell);
  const left = paper.y;
  paper.y = top;
  if (receiver) drawParty(paper, 'Receptor', receiver, MARGIN + width + GAP, width, spell);
  else drawNobody(paper, MARGIN + width + GAP, width);
  paper.y = Math.max(left, paper.y) + 6;
  paper
    .moveTo(MARGIN, paper.y)
    .lineTo(MARGIN + WIDTH, paper.y)
    .lineWidth(0.5)
    .strokeColor(RULE)
    .stroke();
  paper.y += 8;
}

function drawParty(paper: Paper, title: string, party: Party, x: number, width: number, spell: Spell): void {
  paper.font('Helvetica').fontSize(8).fillColor(FAINT).text(title, x, paper.y, { width });
  paper.font('Helvetica-Bold').fontSize(10).fillColor(INK).text(printable(party.nombre), x, paper.y, { width });
  const lines: [string, string | null | undefined][] = [
    ['Nombre comercial', party.nombreComercial],
    ['NIT', party.nit],
    [DOCUMENTS[party.tipoDocumento ?? ''] ?? 'Documento', party.numDocumento],
    ['NRC', party.nrc],
    ['Actividad', party.descActividad],
    ['Dirección', party.direccion && spell(party.direccion)],
    ['Teléfono', party.telefono],
    ['Correo', party.correo],
  ];
  for (const [label, text] of lines) if (text) fact(paper, label, text, width, x);
}

function drawNobody(paper: Paper, x: number, width: number): void {
  paper.font('Helvetica').fontSize(8).fillColor(FAINT).text('Receptor', x, paper.y, { width });
  paper.font('Helvetica-Bold').fontSize(10).fillColor(INK).text('Consumidor final', x, paper.y, { width });
}
