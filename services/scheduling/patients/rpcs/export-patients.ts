// All patients as a CSV file, a page at a time. The first page is the one that the audit log keeps.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, rows } from '@clinic/lib/db/db.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ExportPatientsRequest } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import type { App } from '../../app.ts';
import { csvPage } from '../csv-page.ts';
import { maskDui } from '../rules/dui.ts';
import { openDui } from '../sealed-dui.ts';
import { type ExportedRow, exportPatientsStatement } from '../sql/export-patients.sql.ts';

const PAGE = 1_000;
const FIRST = '00000000-0000-0000-0000-000000000000';
const HEADER = [
  'full_name',
  'phone',
  'guardian_phone',
  'dui',
  'email',
  'birth_date',
  'gender',
  'address',
  'notes',
  'no_show_count',
  'recall_opted_out',
  'created_at',
];

export async function exportPatients(app: App, request: ExportPatientsRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const isFirst = request.cursor === '';
  const after = isFirst ? FIRST : parseUuid('cursor', request.cursor);
  const whole = call.caller.role === 'admin';
  return inTenant(app.db, clinicId, async (tx) => {
    const [patients] = await Promise.all([
      rows(tx, exportPatientsStatement, [clinicId, after, PAGE]),
      isFirst && audit(tx, clinicId, call.caller, { action: 'patients.exported', entityId: clinicId, changes: { dui: whole ? 'whole' : 'masked' } }),
    ]);
    const lines = patients.map((patient) => toLine(app, patient, whole));
    return { content: csvPage(lines, isFirst ? HEADER : undefined), nextCursor: patients.length === PAGE ? (patients.at(-1)?.id ?? '') : '' };
  });
}

function toLine(app: App, patient: ExportedRow, whole: boolean): (string | null)[] {
  const dui = openDui(app.keys, patient);
  return [
    patient.full_name,
    patient.phone,
    patient.guardian_phone,
    dui && (whole ? dui : maskDui(dui)),
    patient.email,
    patient.birth_date,
    patient.gender,
    patient.address,
    patient.notes,
    String(patient.no_show_count),
    String(patient.recall_opted_out),
    patient.created_at.toISOString(),
  ];
}
