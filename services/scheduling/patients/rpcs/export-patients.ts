// Active patients as CSV, a page at a time. The audit log records the first page.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, rows, sql } from '@clinic/lib/db/db.ts';
import { toCsv } from '@clinic/lib/formats/csv.ts';
import { maskDui } from '@clinic/lib/formats/dui.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ExportPatientsRequest } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import { NIL } from 'uuid';
import type { App } from '../../app.ts';
import { decryptDui } from '../encrypted-dui.ts';
import { ownColumnsOf, type PatientRow } from '../sql/patients.sql.ts';

const PAGE = 1_000;

type ExportedRow = Omit<PatientRow, 'dependants' | 'alerts' | 'late_cancellation_count'> & { guardian_phone: string | null };

// By id: a keyset page is as fast at the end as at the beginning.
const pageStatement = sql<ExportedRow>(`
  select ${ownColumnsOf('p')}, case when p.phone is null then g.phone end as guardian_phone
  from (select * from patients where clinic_id = $1 and id > $2 and archived_at is null order by id limit $3) p
  left join patients g on g.clinic_id = $1 and g.id = p.guardian_id
  order by p.id`);

const PERSON = ['full_name', 'phone', 'guardian_phone', 'dui', 'email', 'birth_date', 'gender', 'address', 'notes'] as const;
const HEADER = [...PERSON, 'no_show_count', 'recall_opted_out', 'created_at'];

export async function exportPatients(app: App, request: ExportPatientsRequest, call: Call) {
  const isFirst = request.cursor === '';
  const after = isFirst ? NIL : parseUuid('cursor', request.cursor);
  const isWhole = call.caller.role === 'admin';
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const [patients] = await Promise.all([
      rows(tx, pageStatement, [tx.clinicId, after, PAGE]),
      isFirst && audit(tx, tx.clinicId, call.caller, { action: 'patients.exported', entityId: tx.clinicId, changes: { dui: isWhole ? 'whole' : 'masked' } }),
    ]);
    const lines = patients.map((patient) => {
      const dui = decryptDui(app.keys, patient);
      const person = { ...patient, dui: dui && !isWhole ? maskDui(dui) : dui };
      const { no_show_count, recall_opted_out, created_at } = patient;
      return [...PERSON.map((column) => person[column]), String(no_show_count), String(recall_opted_out), created_at.toISOString()];
    });
    const nextCursor = patients.length === PAGE ? (patients.at(-1)?.id ?? '') : '';
    return { content: Buffer.from(toCsv(lines, isFirst ? HEADER : undefined)), nextCursor };
  });
}
