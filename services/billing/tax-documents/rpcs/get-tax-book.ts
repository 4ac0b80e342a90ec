// A sales book of a month as CSV.
import { inTenant } from '@clinic/lib/db/db.ts';
import { found, invalid } from '@clinic/lib/errors/errors.ts';
import { toCsv } from '@clinic/lib/formats/csv.ts';
import { nextMonth, parseMonth } from '@clinic/lib/formats/local-date.ts';
import { NIT_RULE, normalizeNit } from '@clinic/lib/formats/nit.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxBookRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import type { Kind } from '../rules/kinds.ts';
import { type BookEntry, CONSUMER_COLUMNS, consumerBook, TAXPAYER_COLUMNS, taxpayerBook } from '../rules/tax-books.ts';
import { type DocumentRow, decryptContent } from '../sql/documents.sql.ts';
import { listForBook } from '../sql/find-documents.sql.ts';
import { findIssuer } from '../sql/issuers.sql.ts';

const BOOKS = {
  consumers: { kinds: ['01'] as Kind[], columns: CONSUMER_COLUMNS, lines: consumerBook, file: 'ventas-consumidor-final' },
  taxpayers: { kinds: ['03', '05'] as Kind[], columns: TAXPAYER_COLUMNS, lines: taxpayerBook, file: 'ventas-contribuyentes' },
};

export async function getTaxBook(app: App, { book, month, nit }: GetTaxBookRequest, call: Call) {
  const { kinds, columns, lines, file } = BOOKS[parseOneOf('book', book, ['consumers', 'taxpayers'])];
  const clinicId = clinicOf(call).id;
  const from = `${parseMonth('month', month)}-01`;
  const before = `${nextMonth(month)}-01`;
  const of = nit ? { nit: normalizeNit(nit) ?? invalid('nit', NIT_RULE) } : {};
  const rows = await inTenant(app.db, clinicId, async (tx) => listForBook(tx, { ...found(await findIssuer(tx), 'Issuer'), ...of }, from, before, kinds));
  const content = toCsv(lines(rows.map((row) => toBookEntry(app, clinicId, row))), columns);
  return { content: Buffer.from(content), contentType: 'text/csv; charset=utf-8', filename: `${file}-${month}.csv` };
}

function toBookEntry(app: App, clinicId: string, row: DocumentRow): BookEntry {
  // The book of consumers names no receiver, so their documents need not be decrypted.
  const receiver = row.kind === '01' ? null : decryptContent(app.keys, clinicId, row).order.receiver;
  return {
    ...toFields(row),
    day: row.issued_on,
    isInvalidated: row.status === 'invalidated',
    receiver: receiver && { name: receiver.name, nit: receiver.documentNumber, nrc: receiver.nrc },
  };
}
