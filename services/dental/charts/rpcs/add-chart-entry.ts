// Charts a finding. Entries of one chart come one after another, so the answer is the chart that the entry made.

import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type AddChartEntryRequest, ChartService } from '@clinic/proto/dental/v1/chart_pb.js';
import type { App } from '../../app.ts';
import { getPatient } from '../../patients/find-patients.ts';
import { appendEntry } from '../append-entry.ts';
import { type Fault, parseFinding, parsePontics } from '../parse-finding.ts';
import { STATUSES } from '../rules/findings.ts';
import { listCurrentFindings, lockChart } from '../sql/chart-entries.sql.ts';

export async function addChartEntry(app: App, request: AddChartEntryRequest, call: Call) {
  const charted = refuse(parseFinding(request));
  const status = parseOneOf('status', request.status, STATUSES);
  const notes = parseOptionalText('notes', request.notes, 2000);
  const replaces = request.replaces ? parseUuid('replaces', request.replaces) : null;
  const patient = await getPatient(app, call, request.patientId);
  return idempotent(app.db, call, ChartService.method.addChartEntry, request, async (tx) => {
    await lockChart(tx, patient.id);
    const pontics = refuse(parsePontics(charted, request.pontics, charted.finding === 'bridge' ? await listCurrentFindings(tx, patient.id) : []));
    return appendEntry(app, tx, call, patient, { kind: 'finding', ...charted, pontics, status, notes, replaces });
  });
}

function refuse<T extends object>(read: T | Fault): T {
  return 'message' in read ? invalid(read.path, read.message) : (read as T);
}
