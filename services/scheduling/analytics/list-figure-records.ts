// The records that a figure counts.

import { invalid } from '@clinic/lib/errors/errors.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListFigureRecordsRequest } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../app.ts';
import { parsePeriod } from './get-dashboard.ts';
import { AGES } from './sql/dashboard.sql.ts';
import { LISTED_FIGURES, listRecords, toRecord } from './sql/figure-records.sql.ts';

/** The figure that has each filter. */
const FIGURES = { doctor_id: 'collected', procedure: 'collected', age: 'receivables' };

/** Throws VALIDATION_ERROR for an unknown value, and for a filter that the figure does not have. */
export async function listFigureRecords(app: App, request: ListFigureRecordsRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const figure = parseOneOf('figure', request.figure || 'collected', LISTED_FIGURES);
  const today = dateIn(timezone, app.clock.now());
  const { from, to } = parsePeriod(app, request, call);
  const { doctorId, procedure, age } = request;
  const given = { doctor_id: doctorId, procedure, age };
  for (const name of ['doctor_id', 'procedure', 'age'] as const)
    if (given[name] !== undefined && figure !== FIGURES[name]) invalid(name, `is a filter of the figure ${FIGURES[name]} only`);
  const filter = {
    from,
    to: figure === 'receivables' && to > today ? today : to, // receivables have no age in the future
    doctor: doctorId === undefined || doctorId === 'none' ? doctorId : parseUuid('doctor_id', doctorId),
    procedure: procedure === undefined ? undefined : parseText('procedure', procedure, 100),
    age: age === undefined ? undefined : parseOneOf('age', age, AGES),
  };
  const { rows, ...totals } = await listRecords(app.db, id, figure, filter, limit, offset);
  return { records: rows.map((row) => toRecord(figure, row)), ...totals, page, limit };
}
