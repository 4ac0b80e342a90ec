// The graphic version of a tax document: what the receiver holds in hand, in Spanish, with a code that leads to the
// authority's public consultation.
import { createHash } from 'node:crypto';
import { printable } from '@clinic/lib/formats/printable.ts';
import PDFDocument from 'pdfkit';
import QRCode from 'qrcode';
import { KIND_NAMES, type Kind } from '../rules/kinds.ts';
import { momentOf } from '../rules/windows.ts';
import { drawItems } from './items.ts';
import { FAINT, fact, heading, INK, MARGIN, type Paper, RULE, WIDTH } from './paper.ts';
import { drawParties, type Party, type Spell } from './parties.ts';
import { drawSummary, type Summary } from './summary.ts';

export type Item = { numItem: number; cantidad: number; descripcion: string; precioUni: number; montoDescu: number; ventaGravada: number };

/** What the paper reads of a document, in either generation. */
export type Shown = {
  identificacion: {
    ambiente: string;
    numeroControl: string;
    codigoGeneracion: string;
    tipoModelo: number;
    tipoOperacion: number;
    version: number;
    fecEmi: string;
    horEmi: string;
    tipoMoneda: string;
  };
  emisor: Party;
  receptor: Party | null;
  documentoRelacionado: { numeroDocumento: string; fechaEmision: string }[] | null;
  cuerpoDocumento: Item[];
  resumen: Summary;
  extension?: { observaciones: string | null } | null;
};

export type TaxPaper = {
  document: Shown;
  kind: Kind;
  status: string;
  seal: string | null;
  processedAt: Date | null;
  invalidatedAt: Date | null;
  /** When what it says came to be. */
  at: Date;
  /** What the code leads to. */
  link: string;
  spell: Spell;
};

export async function drawTaxDocument(tax: TaxPaper) {
  const { document, kind, at } = tax;
  const { codigoGeneracion, numeroControl } = document.identificacion;
  const paper = new PDFDocument({
    size: 'LETTER',
    margin: MARGIN,
    bufferPages: true,
    lang: 'es',
    info: {
      Title: `${KIND_NAMES[kind]} ${numeroControl}`,
      Producer: 'Clinic Management Service',
      Creator: 'Clinic Management Service',
      CreationDate: at,
      ModDate: at,
    },
  });
  const parts: Buffer[] = [];
  const done = new Promise<void>((resolve, reject) => {
    paper.on('data', (part: Buffer) => parts.push(part));
    paper.on('end', resolve);
    paper.on('error', reject);
  });
  drawHead(paper, tax, await QRCode.toBuffer(tax.link, { margin: 0, width: 240, errorCorrectionLevel: 'M' }));
  drawParties(paper, document.emisor, document.receptor, tax.spell);
  const [related] = document.documentoRelacionado ?? [];
  if (related) fact(paper, 'Documento relacionado', `${related.numeroDocumento} del ${related.fechaEmision}`);
  drawItems(paper, document.cuerpoDocumento);
  drawSummary(paper, kind, document.resumen, document.extension?.observaciones ?? document.resumen.observaciones ?? null);
  finishPages(paper, tax);
  paper.end();
  await done;
  const content = Buffer.concat(parts);
  const etag = createHash('sha256').update(content).digest('base64url').slice(0, 27);
  return { content, contentType: 'application/pdf', filename: `${codigoGeneracion}.pdf`, etag };
}

const QR = 92;

function drawHead(paper: Paper, { document, kind, seal, processedAt, status }: TaxPaper, qr: Buffer): void {
  const { identificacion, emisor } = document;
  paper.image(qr, MARGIN + WIDTH - QR, MARGIN, { width: QR });
  const width = WIDTH - QR - 18;
  paper.font('Helvetica-Bold').fontSize(8).fillColor(FAINT).text('DOCUMENTO TRIBUTARIO ELECTRÓNICO', MARGIN, MARGIN, { width });
  paper.font('Helvetica-Bold').fontSize(15).fillColor(INK).text(KIND_NAMES[kind].toUpperCase(), { width });
  paper
    .font('Helvetica')
    .fontSize(10)
    .text(printable(emisor.nombreComercial ?? emisor.nombre), { width });
  paper.moveDown(0.4);
  const lines: [string, string][] = [
    ['Código de generación', identificacion.codigoGeneracion],
    ['Número de control', identificacion.numeroControl],
    ['Sello de recepción', seal ?? (status === 'contingency' ? 'emitido en contingencia, se transmitirá después' : 'pendiente')],
    ['Emitido', `${identificacion.fecEmi} ${identificacion.horEmi}`],
    ...(processedAt ? ([['Procesado', Object.values(momentOf(processedAt)).join(' ')]] as [string, string][]) : []),
    ['Modelo y transmisión', identificacion.tipoModelo === 1 ? 'Facturación previo, transmisión normal' : 'Facturación diferido, transmisión por contingencia'],
    ['Versión y moneda', `${identificacion.version}, ${identificacion.tipoMoneda}`],
  ];
  for (const [label, text] of lines) fact(paper, label, text, width);
  paper.y = Math.max(paper.y, MARGIN + QR) + 8;
  paper
    .moveTo(MARGIN, paper.y)
    .lineTo(MARGIN + WIDTH, paper.y)
    .lineWidth(1)
    .strokeColor(RULE)
    .stroke();
  paper.y += 8;
  heading(paper, 'Emisor y receptor');
}

/** Numbers, and across each page what keeps it from being a valid document. */
function finishPages(paper: Paper, { document, status, invalidatedAt }: TaxPaper): void {
  const { count } = paper.bufferedPageRange();
  const mark = invalidatedAt ? 'INVALIDADO' : status === 'rejected' ? 'RECHAZADO' : document.identificacion.ambiente === '00' ? 'PRUEBA' : undefined;
  for (let page = 0; page < count; page++) {
    paper.switchToPage(page);
    const { bottom } = paper.page.margins;
    paper.page.margins.bottom = 0; // else a line in the margin opens another page
    paper.font('Helvetica').fontSize(8).fillColor(FAINT);
    paper.text(`Página ${page + 1} de ${count}`, MARGIN, paper.page.height - 30, { width: WIDTH, align: 'center', lineBreak: false });
    if (mark) stamp(paper, mark);
    paper.page.margins.bottom = bottom;
  }
}

function stamp(paper: Paper, mark: string): void {
  const [x, y] = [paper.page.width / 2, paper.page.height / 2];
  paper.save();
  paper.rotate(-32, { origin: [x, y] });
  paper.font('Helvetica-Bold').fontSize(84).fillColor('#c0392b').fillOpacity(0.13);
  paper.text(mark, 0, y - 42, { width: paper.page.width, align: 'center', lineBreak: false });
  paper.restore();
}
