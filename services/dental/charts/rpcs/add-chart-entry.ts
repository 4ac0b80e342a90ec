// Adds a finding to a chart. The lock of the chart serialises concurrent entries, so the response is the chart right after this entry.
import { create } from '@bufbuild/protobuf';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Abridged, idempotent, settled } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type AddChartEntryRequest, ChartService, ChartToothSchema } from '@clinic/proto/dental/v1/chart_pb.js';
import { v7 } from 'uuid';
import type { App } from '../../app.ts';
import { getPatientToChange } from '../../patients/find-patients.ts';
import { appendEntry } from '../append-entry.ts';
import { parseFinding, parsePontics } from '../parse-finding.ts';
import { FINDING_STATUSES } from '../rules/findings.ts';
import { findChart, findPatientOfEntry, lockChart } from '../sql/chart-entries.sql.ts';
import { toTeeth } from '../to-dental-chart.ts';

export async function addChartEntry(app: App, request: AddChartEntryRequest, call: Call) {
  const finding = parseFinding(request);
  const status = parseOneOf('status', request.status, FINDING_STATUSES);
  const notes = parseOptionalText('notes', request.notes, 2000);
  const replaces = request.replaces ? parseUuid('replaces', request.replaces) : null;
  const getPatient = await settled(getPatientToChange(app, call, request.patientId));
  const id = v7();
  const add = async (tx: TenantTx) => {
    const patient = getPatient();
    await lockChart(tx, tx.clinicId, patient.id);
    const current = finding.finding === 'bridge' ? (await findChart(tx, tx.clinicId, patient.id)).findings : [];
    const pontics = parsePontics(finding, request.pontics, current);
    return appendEntry(app, tx, call, patient, { id, kind: 'finding', ...finding, pontics, status, notes, replaces });
  };
  return idempotent(app.db, call, ChartService.method.addChartEntry, request, add, undefined, byEntry(id));
}

/** Stores only the id of the entry, in a tooth without a number: a chart gets more and more findings, and its entries never change. */
const byEntry = (id: string): Abridged<typeof ChartService.method.addChartEntry> => ({
  shorten: (chart) => ({ ...chart, teeth: [create(ChartToothSchema, { findings: [{ id }] })] }),
  async restore(tx, chart) {
    const [{ tooth, findings } = {}] = chart.teeth;
    if (tooth !== 0) return chart;
    const entryId = findings?.[0]?.id ?? '';
    const patientId = (await findPatientOfEntry(tx, entryId)) ?? chart.patientId; // another one after a merge
    const { findings: restored } = await findChart(tx, tx.clinicId, patientId, entryId);
    return { ...chart, teeth: toTeeth(restored).map((one) => create(ChartToothSchema, one)) };
  },
});
