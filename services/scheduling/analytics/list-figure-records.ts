// What a figure is made of.

import { readTenant } from '@clinic/lib/db/db.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListFigureRecordsRequest } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../app.ts';
import { readPeriod } from './get-dashboard.ts';
import { AGES } from './sql/dashboard.sql.ts';
import { LISTED_FIGURES, listRecords, toRecord } from './sql/figure-records.sql.ts';

export async function listFigureRecords(app: App, request: ListFigureRecordsRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const figure = parseOneOf('figure', request.figure || 'collected', LISTED_FIGURES);
  const now = dateIn(timezone, app.clock.now());
  const { from, to } = readPeriod(request, now);
  const { doctorId, procedure, age } = request;
  const filter = {
    from,
    to: figure === 'receivables' && to > now ? now : to, // as the figure: nothing grows old before its time
    doctor: doctorId === undefined || doctorId === 'none' ? doctorId : parseUuid('doctor_id', doctorId),
    procedure: procedure === undefined ? undefined : parseText('procedure', procedure, 100),
    age: age === undefined ? undefined : parseOneOf('age', age, AGES),
  };
  const { statement, values } = listRecords(id, figure, filter, [limit, offset]);
  const records = await readTenant(app.db, id, statement, values);
  const { total = 0, total_cents: totalAmount = 0n } = records[0] ?? {};
  return { records: records.filter((one) => one.id !== null).map((one) => toRecord(figure, one)), totalAmount, total, page, limit };
}
