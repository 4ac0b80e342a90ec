// Medical alerts of a patient.
import { audit, isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import {
  type CreateMedicalAlertRequest,
  type DeleteMedicalAlertRequest,
  type ListMedicalAlertsRequest,
  MedicalAlertService,
  type UpdateMedicalAlertRequest,
} from '@clinic/proto/scheduling/v1/medical_alert_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { lockRecord, requireRecord } from '../patient-records/records.sql.ts';
import { ALERT_KINDS, type AlertFields, MAX_ALERT_TEXT, SEVERITIES } from './alert-rules.ts';
import { deleteAlert, insertAlert, listAlerts, lockAlert, toProto, updateAlert } from './medical-alerts.sql.ts';

const NOUN = 'Medical alert';

export async function listMedicalAlerts(app: App, request: ListMedicalAlertsRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  await requireRecord(app.db, clinicId, request.patientId);
  const { rows, total } = await listAlerts(app.db, clinicId, request.patientId, { page, limit, offset });
  return { alerts: rows.map(toProto), total, page, limit };
}

export async function createMedicalAlert(app: App, request: CreateMedicalAlertRequest, call: Call) {
  if (!isUuid(request.patientId)) fail('NOT_FOUND', 'Patient not found');
  const fields = parseFields(request);
  return idempotent(app.db, call, MedicalAlertService.method.createMedicalAlert, request, async (tx) => {
    const patientId = await lockRecord(tx, request.patientId);
    const id = v7();
    const [created] = await Promise.all([
      insertAlert(tx, id, patientId, fields, app.clock.now()),
      audit(tx, tx.clinicId, call.caller, {
        action: 'medical_alert.created',
        entityId: id,
        changes: { patient_id: patientId, severity: fields.severity },
      }),
    ]);
    return toProto(created);
  });
}

export async function updateMedicalAlert(app: App, request: UpdateMedicalAlertRequest, call: Call) {
  if (!isUuid(request.patientId) || !isUuid(request.id)) fail('NOT_FOUND', `${NOUN} not found`);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockAlert(tx, request.patientId, request.id), NOUN);
    const fields = parseFields({ kind: request.kind ?? before.kind, severity: request.severity ?? before.severity, text: request.text ?? before.text });
    if (isUnchanged(before, fields)) return toProto(before);
    const after = await updateAlert(tx, before.id, fields, app.clock.now());
    await audit(tx, tx.clinicId, call.caller, { action: 'medical_alert.updated', entityId: before.id, changes: maskChanges(before, after, ['text']) });
    return toProto(after);
  });
}

export async function deleteMedicalAlert(app: App, request: DeleteMedicalAlertRequest, call: Call) {
  if (!isUuid(request.patientId) || !isUuid(request.id)) fail('NOT_FOUND', `${NOUN} not found`);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const { id, kind, severity } = found(await lockAlert(tx, request.patientId, request.id), NOUN);
    await deleteAlert(tx, id);
    await audit(tx, tx.clinicId, call.caller, { action: 'medical_alert.deleted', entityId: id, changes: { patient_id: request.patientId, kind, severity } });
    return { message: 'Medical alert deleted' };
  });
}

const parseFields = ({ kind, severity, text }: { kind: string; severity: string; text: string }): AlertFields => ({
  kind: parseOneOf('kind', kind, ALERT_KINDS),
  severity: parseOneOf('severity', severity, SEVERITIES),
  text: parseText('text', text, MAX_ALERT_TEXT),
});
