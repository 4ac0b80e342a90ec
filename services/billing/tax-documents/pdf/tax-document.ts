// A tax document as a PDF for its receiver, in Spanish, with a QR code that leads to the authority's public page about it.
import { BOLD, contentWidth, createPdf, drawRule, drawStamp, FAINT, INK, type Pdf, REGULAR, toPdfFile } from '@clinic/lib/pdf/pdf.ts';
import { drawTable } from '@clinic/lib/pdf/table.ts';
import { localMoment } from '../rules/deadlines.ts';
import { KIND_NAMES, type Kind } from '../rules/kinds.ts';
import { drawField, drawHeading, exact, MARGIN } from './layout.ts';
import { drawParties, type FormatAddress, type Party } from './parties.ts';
import { drawSummary, type Summary } from './summary.ts';

type Item = { numItem: number; cantidad: number; descripcion: string; precioUni: number; montoDescu: number; ventaGravada: number };

/** The part of the document's JSON that the PDF shows; both generations of the schemas have it. */
type Shown = {
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

type TaxDocumentPdf = {
  document: Shown;
  kind: Kind;
  status: string;
  seal: string | null;
  processedAt: Date | null;
  invalidatedAt: Date | null;
  /** When the content last changed; the date of the PDF. */
  at: Date;
  /** The URL in the QR code. */
  link: string;
  formatAddress: FormatAddress;
};

export async function drawTaxDocument(tax: TaxDocumentPdf) {
  const { document, kind, at } = tax;
  const { codigoGeneracion, numeroControl } = document.identificacion;
  const { default: QRCode } = await import('qrcode');
  const qr = await QRCode.toBuffer(tax.link, { margin: 0, width: 240, errorCorrectionLevel: 'M' });
  const draw = (pdf: Pdf) => {
    drawHead(pdf, tax, qr);
    drawParties(pdf, document.emisor, document.receptor, tax.formatAddress);
    const [related] = document.documentoRelacionado ?? [];
    if (related) drawField(pdf, 'Documento relacionado', `${related.numeroDocumento} del ${related.fechaEmision}`);
    drawItems(pdf, document.cuerpoDocumento);
    drawSummary(pdf, kind, document.resumen, document.extension?.observaciones ?? document.resumen.observaciones ?? null);
  };
  const stamp = stampOf(tax);
  const content = await createPdf({ title: `${KIND_NAMES[kind]} ${numeroControl}`, at, margin: MARGIN }, draw, (pdf) => stamp && drawStamp(pdf, stamp));
  return toPdfFile(content, `${codigoGeneracion}.pdf`);
}

/** The stamp on each page that says why the document is not valid; undefined for a valid one. */
function stampOf({ document, status, invalidatedAt }: TaxDocumentPdf): string | undefined {
  if (invalidatedAt) return 'INVALIDADO';
  if (status === 'rejected') return 'RECHAZADO';
  return document.identificacion.ambiente === '00' ? 'PRUEBA' : undefined;
}

const QR_SIZE = 92;
/** By status: what a document without a seal shows in its place. */
const UNSEALED: Record<string, string> = {
  contingency: 'emitido en contingencia, se transmitirá después',
  rejected: 'no tiene, el documento fue rechazado',
};

function drawHead(pdf: Pdf, { document, kind, seal, processedAt, status }: TaxDocumentPdf, qr: Buffer): void {
  const { identificacion, emisor } = document;
  pdf.image(qr, MARGIN + contentWidth(pdf) - QR_SIZE, MARGIN, { width: QR_SIZE });
  const width = contentWidth(pdf) - QR_SIZE - 18;
  pdf.font(BOLD).fontSize(8).fillColor(FAINT).text('DOCUMENTO TRIBUTARIO ELECTRÓNICO', MARGIN, MARGIN, { width });
  pdf.font(BOLD).fontSize(15).fillColor(INK).text(KIND_NAMES[kind].toUpperCase(), { width });
  pdf
    .font(REGULAR)
    .fontSize(10)
    .text(emisor.nombreComercial ?? emisor.nombre, { width });
  pdf.moveDown(0.4);
  const fields: [label: string, value: string][] = [
    ['Código de generación', identificacion.codigoGeneracion],
    ['Número de control', identificacion.numeroControl],
    ['Sello de recepción', seal ?? UNSEALED[status] ?? 'pendiente'],
    ['Emitido', `${identificacion.fecEmi} ${identificacion.horEmi}`],
    ...(processedAt ? ([['Procesado', Object.values(localMoment(processedAt)).join(' ')]] as [string, string][]) : []),
    ['Modelo de facturación', identificacion.tipoModelo === 1 ? 'Previo' : 'Diferido'],
    ['Tipo de transmisión', identificacion.tipoOperacion === 1 ? 'Normal' : 'Por contingencia'],
    ['Versión y moneda', `${identificacion.version}, ${identificacion.tipoMoneda}`],
  ];
  for (const [label, value] of fields) drawField(pdf, label, value, width);
  pdf.y = Math.max(pdf.y, MARGIN + QR_SIZE) + 8;
  drawRule(pdf, 1);
  pdf.y += 8;
  drawHeading(pdf, 'Emisor y receptor');
}

const COLUMNS = [
  { title: 'N.º', width: 0.06 },
  { title: 'Cantidad', width: 0.11, align: 'right' },
  { title: 'Descripción', width: 0.36 },
  { title: 'Precio unitario', width: 0.16, align: 'right' },
  { title: 'Descuento', width: 0.15, align: 'right' },
  { title: 'Venta gravada', width: 0.16, align: 'right' },
] as const;

function drawItems(pdf: Pdf, items: Item[]): void {
  const lines = items.map(({ numItem, cantidad, descripcion, precioUni, montoDescu, ventaGravada }) => [
    String(numItem),
    exact(cantidad, 0),
    descripcion,
    ...[precioUni, montoDescu, ventaGravada].map((amount) => `$${exact(amount, 2)}`), // not rounded, so that the lines add up to the total
  ]);
  drawTable(pdf, COLUMNS, lines, { fontSize: 8.5, padding: 4 });
  pdf.y += 8;
}
