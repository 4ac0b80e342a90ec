// Files of a document: its JSON with signature and seal, and its PDF.
import { etagOf } from '@clinic/lib/http/etag.ts';
import type { App } from '../app.ts';
import { drawTaxDocument } from './pdf/tax-document.ts';
import { formatAddress } from './rules/address.ts';
import { consultationUrl } from './rules/document-numbers.ts';
import { type DocumentRow, decryptContent } from './sql/documents.sql.ts';

export function toJsonFile(app: App, clinicId: string, row: DocumentRow) {
  const { document, jws } = decryptContent(app.keys, clinicId, row);
  const content = Buffer.from(JSON.stringify({ ...document, firmaElectronica: jws, selloRecibido: row.seal }));
  return { content, contentType: 'application/json; charset=utf-8', filename: `${row.code}.json`, etag: etagOf(content) };
}

export function toPdfFile(app: App, clinicId: string, row: DocumentRow) {
  const { document } = decryptContent(app.keys, clinicId, row);
  return drawTaxDocument({
    document: document as never, // built by buildDocument()
    kind: row.kind,
    status: row.status,
    seal: row.seal,
    processedAt: row.processed_at,
    invalidatedAt: row.invalidated_at,
    at: row.invalidated_at ?? row.processed_at ?? row.issued_at,
    link: consultationUrl(row.environment, row.code, row.issued_on),
    formatAddress: (address) => formatAddress(app.catalogs, address),
  });
}
