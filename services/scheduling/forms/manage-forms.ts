// Forms of patients, as the staff creates, reads and withdraws them.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import {
  type CreateFormRequest,
  type DeleteFormRequest,
  FormService,
  type GetFormRequest,
  type ListFormsRequest,
} from '@clinic/proto/scheduling/v1/form_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { isAppointmentOf } from '../clinical-notes/clinical-notes.sql.ts';
import { lockRecord } from '../medical-alerts/medical-alerts.sql.ts';
import { FORM_STATUSES } from './form-rules.ts';
import { lockTemplate } from './form-templates.sql.ts';
import { toListed, toProto } from './form-view.ts';
import { deleteOpenForm, findFormOf, insertForm, listForms as list, lockForm } from './forms.sql.ts';
import { addStandardTemplates } from './standard-templates.ts';

const NOUN = 'Form';

export async function listForms(app: App, request: ListFormsRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const page = parsePage(request, 50, 500);
  const { patientId, templateId, appointmentId, status } = request;
  if (patientId !== undefined) {
    if (!isUuid(patientId)) fail('NOT_FOUND', 'Patient not found');
    found(await inTenant(app.db, clinicId, (tx) => lockRecord(tx, patientId)), 'Patient');
  }
  const filter = {
    patientId: patientId ?? null,
    templateId: templateId === undefined ? null : parseUuid('template_id', templateId),
    appointmentId: appointmentId === undefined ? null : parseUuid('appointment_id', appointmentId),
    status: status === undefined ? null : parseOneOf('status', status, FORM_STATUSES),
  };
  const { rows, total } = await list(app.db, clinicId, filter, page);
  return { forms: rows.map((form) => toListed(app, clinicId, form)), total, page: page.page, limit: page.limit };
}

export async function getForm(app: App, { patientId, id }: GetFormRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(patientId) || !isUuid(id)) fail('NOT_FOUND', `${NOUN} not found`);
  return toProto(app, clinicId, found(await inTenant(app.db, clinicId, (tx) => findFormOf(tx, patientId, id)), NOUN));
}

export async function createForm(app: App, request: CreateFormRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(request.patientId)) fail('NOT_FOUND', 'Patient not found');
  const templateId = parseUuid('templateId', request.templateId);
  const appointmentId = request.appointmentId === undefined ? null : parseUuid('appointmentId', request.appointmentId);
  await addStandardTemplates(app, clinicId);
  return idempotent(app.db, call, FormService.method.createForm, request, async (tx) => {
    const patientId = found(await lockRecord(tx, request.patientId), 'Patient');
    const template = found(await lockTemplate(tx, templateId), 'Form template');
    if (!template.is_active) invalid('templateId', 'is the id of a template that is not active');
    if (appointmentId !== null && !(await isAppointmentOf(tx, appointmentId, patientId))) fail('NOT_FOUND', 'Appointment not found');
    const id = v7();
    const form = await insertForm(tx, {
      id,
      patient_id: patientId,
      template_id: templateId,
      template_version: template.version,
      appointment_id: appointmentId,
      created_by: call.caller.id,
      created_at: app.clock.now(),
    });
    if (form.id === id) {
      const changes = { patient_id: patientId, template_id: templateId, version: template.version };
      await audit(tx, clinicId, call.caller, { action: 'form.created', entityId: id, changes });
    }
    return toProto(app, clinicId, form);
  });
}

export async function deleteForm(app: App, { patientId, id }: DeleteFormRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(patientId) || !isUuid(id)) fail('NOT_FOUND', `${NOUN} not found`);
  return inTenant(app.db, clinicId, async (tx) => {
    const [locked, own] = await Promise.all([lockForm(tx, id), findFormOf(tx, patientId, id)]);
    const form = found(own && locked, NOUN);
    if (form.signed_at) fail('FORM_SIGNED');
    await deleteOpenForm(tx, id);
    await audit(tx, clinicId, call.caller, { action: 'form.withdrawn', entityId: id, changes: { patient_id: form.patient_id, template_id: form.template_id } });
    return { message: 'Form withdrawn' };
  });
}
