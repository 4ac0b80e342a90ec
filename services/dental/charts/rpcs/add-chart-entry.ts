// Adds a finding to a chart. The lock of the chart serialises concurrent entries, so the response is the chart right after this entry.
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type AddChartEntryRequest, ChartService } from '@clinic/proto/dental/v1/chart_pb.js';
import type { App } from '../../app.ts';
import { getPatient } from '../../patients/find-patients.ts';
import { appendEntry } from '../append-entry.ts';
import { parseFinding, parsePontics } from '../parse-finding.ts';
import { FINDING_STATUSES } from '../rules/findings.ts';
import { findChart, lockChart } from '../sql/chart-entries.sql.ts';

export async function addChartEntry(app: App, request: AddChartEntryRequest, call: Call) {
  const finding = parseFinding(request);
  const status = parseOneOf('status', request.status, FINDING_STATUSES);
  const notes = parseOptionalText('notes', request.notes, 2000);
  const replaces = request.replaces ? parseUuid('replaces', request.replaces) : null;
  const patient = await getPatient(app, call, request.patientId);
  return idempotent(app.db, call, ChartService.method.addChartEntry, request, async (tx) => {
    await lockChart(tx, tx.clinicId, patient.id);
    const current = finding.finding === 'bridge' ? (await findChart(tx, tx.clinicId, patient.id)).findings : [];
    const pontics = parsePontics(finding, request.pontics, current);
    return appendEntry(app, tx, call, patient, { kind: 'finding', ...finding, pontics, status, notes, replaces });
  });
}
