// Brings what was invoiced in line with what billing tells of tax documents. The higher revision wins, whichever comes first.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import type { TaxDocumentChanged } from '@clinic/proto/events/v1/dte_pb.js';
import { lockFigures } from './sql/figures.sql.ts';
import { upsertDocument } from './sql/analytics-documents.sql.ts';
import { remakeDocumentDays } from './sql/money-sums.sql.ts';

export async function countDocuments(tx: SystemTx, clinicId: string, documents: TaxDocumentChanged[]): Promise<void> {
  await lockFigures(tx, clinicId);
  // A corrected document may be of another day.
  const days = await Promise.all(documents.map((document) => upsertDocument(tx, clinicId, document)));
  await remakeDocumentDays(tx, clinicId, [...new Set(days.flat())]);
}
