// A book of a month as CSV, with a mark that tells spreadsheets of UTF-8.

import { inTenant } from '@clinic/lib/db/db.ts';
import { found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxBookRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import { stringify } from 'csv-stringify/sync';
import { DateTime } from 'luxon';
import type { App } from '../../app.ts';
import { CONSUMER_COLUMNS, consumerBook, type Entry, TAXPAYER_COLUMNS, taxpayerBook } from '../rules/tax-books.ts';
import type { Kind } from '../rules/kinds.ts';
import { type DocumentRow, openContent } from '../sql/documents.sql.ts';
import { listForBook } from '../sql/find-documents.sql.ts';
import { findIssuer } from '../sql/issuers.sql.ts';

const BOOKS = {
  consumers: { kinds: ['01'] as Kind[], columns: CONSUMER_COLUMNS, lines: consumerBook, file: 'ventas-consumidor-final' },
  taxpayers: { kinds: ['03', '05'] as Kind[], columns: TAXPAYER_COLUMNS, lines: taxpayerBook, file: 'ventas-contribuyentes' },
};

export async function getTaxBook(app: App, { book, month }: GetTaxBookRequest, call: Call) {
  const { kinds, columns, lines, file } = BOOKS[parseOneOf('book', book, ['consumers', 'taxpayers'])];
  if (!/^(19|20|21)\d\d-(0[1-9]|1[0-2])$/.test(month)) invalid('month', 'must be YYYY-MM');
  const clinicId = clinicOf(call).id;
  const from = `${month}-01`;
  const before = DateTime.fromISO(from, { zone: 'utc' }).plus({ months: 1 }).toFormat('yyyy-MM-dd');
  const rows = await inTenant(app.db, clinicId, async (tx) => listForBook(tx, found(await findIssuer(tx), 'Issuer').environment, from, before, kinds));
  const content = stringify([columns, ...lines(rows.map((row) => entryOf(app, clinicId, row)))], {
    bom: true,
    record_delimiter: '\r\n',
  });
  return { content: Buffer.from(content), contentType: 'text/csv; charset=utf-8', filename: `${file}-${month}.csv` };
}

function entryOf(app: App, clinicId: string, row: DocumentRow): Entry {
  // A line of a day names nobody, so only the other book opens what is sealed.
  const receiver = row.kind === '01' ? null : openContent(app.keys, clinicId, row).order.receiver;
  return {
    kind: row.kind,
    day: row.issued_on,
    controlNumber: row.control_number,
    code: row.code,
    seal: row.seal,
    isInvalidated: row.status === 'invalidated',
    salesCents: row.sales_cents,
    ivaCents: row.iva_cents,
    withheldCents: row.withheld_cents,
    operationCents: row.operation_cents,
    receiver: receiver && { name: receiver.name, nit: receiver.documentNumber, nrc: receiver.nrc },
  };
}
