// Forms of patients, as the staff creates, reads and withdraws them.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import {
  type CreateFormRequest,
  type DeleteFormRequest,
  FormService,
  type GetFormDocumentRequest,
  type GetFormRequest,
  type ListFormsRequest,
} from '@clinic/proto/scheduling/v1/form_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { lockAppointmentOf } from '../clinical-notes/clinical-notes.sql.ts';
import { lockRecord, refuseMergedRecord, requireRecord } from '../patient-records/records.sql.ts';
import { drawForm } from './form-document.ts';
import { FORM_STATUSES } from './form-rules.ts';
import { lockTemplate, type TemplateRow } from './form-templates.sql.ts';
import { toListed, toProto, toRead } from './form-view.ts';
import { deleteOpenForm, type FormRow, findFormOf, insertForm, listForms as list, lockForm } from './forms.sql.ts';
import { addStandardTemplates, isUnreviewed } from './standard-templates.ts';

const NOUN = 'Form';
const UNREVIEWED_RULE = 'is the id of a template whose text still begins with the note to the clinic in square brackets: edit the text of the template first';

export async function listForms(app: App, request: ListFormsRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const page = parsePage(request, 50, 500);
  const { patientId, templateId, appointmentId, status } = request;
  const filter = {
    patientId: patientId ?? null,
    templateId: templateId === undefined ? null : parseUuid('template_id', templateId),
    appointmentId: appointmentId === undefined ? null : parseUuid('appointment_id', appointmentId),
    status: status === undefined ? null : parseOneOf('status', status, FORM_STATUSES),
  };
  if (patientId !== undefined) await requireRecord(app.db, clinicId, patientId);
  const { rows, total } = await list(app.db, clinicId, filter, page);
  return { forms: rows.map((form) => toRead(toListed(app, clinicId, form), call)), total, page: page.page, limit: page.limit };
}

export async function getForm(app: App, { patientId, id }: GetFormRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(patientId) || !isUuid(id)) fail('NOT_FOUND', `${NOUN} not found`);
  const form = found(await inTenant(app.db, clinicId, (tx) => findFormOf(tx, patientId, id)), NOUN);
  return toRead(toProto(app, clinicId, form), call);
}

export async function createForm(app: App, request: CreateFormRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(request.patientId)) fail('NOT_FOUND', 'Patient not found');
  const templateId = parseUuid('templateId', request.templateId);
  const appointmentId = request.appointmentId === undefined ? null : parseUuid('appointmentId', request.appointmentId);
  await addStandardTemplates(app, clinicId);
  return idempotent(app.db, call, FormService.method.createForm, request, async (tx) => {
    const isOfPatient = await lockAppointmentOf(tx, appointmentId, request.patientId);
    const patientId = await lockRecord(tx, request.patientId);
    const template = found(await lockTemplate(tx, templateId), 'Form template');
    if (!template.is_active) invalid('templateId', 'is the id of a template that is not active');
    if (isUnreviewed(template)) invalid('templateId', UNREVIEWED_RULE);
    if (!isOfPatient) fail('NOT_FOUND', 'Appointment not found');
    const form = await addForm(app, tx, call, template, { patient_id: patientId, appointment_id: appointmentId, created_by: call.caller.id });
    return toProto(app, clinicId, form);
  });
}

type ToAdd = Pick<FormRow, 'patient_id' | 'appointment_id' | 'created_by'>;

/** A new form of the template, or the one of the patient that is still open. */
export async function addForm(app: App, tx: TenantTx, call: Call, template: TemplateRow, form: ToAdd): Promise<FormRow> {
  const id = v7();
  const added = await insertForm(tx, { ...form, id, template_id: template.id, template_version: template.version, created_at: app.clock.now() });
  const changes = { patient_id: form.patient_id, template_id: template.id, version: template.version };
  if (added.id === id) await audit(tx, tx.clinicId, call.caller, { action: 'form.created', entityId: id, changes });
  return added;
}

export async function deleteForm(app: App, { patientId, id }: DeleteFormRequest, call: Call) {
  if (!isUuid(patientId) || !isUuid(id)) fail('NOT_FOUND', `${NOUN} not found`);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    await refuseMergedRecord(tx, patientId);
    const [locked, own] = await Promise.all([lockForm(tx, id), findFormOf(tx, patientId, id)]);
    const form = found(own && locked, NOUN);
    if (form.signed_at) fail('FORM_SIGNED');
    await deleteOpenForm(tx, id);
    await audit(tx, tx.clinicId, call.caller, {
      action: 'form.withdrawn',
      entityId: id,
      changes: { patient_id: form.patient_id, template_id: form.template_id },
    });
    return { message: 'Form withdrawn' };
  });
}

/** Drawn from its row: of a signed form, which never changes, it is always the same document. */
export async function getFormDocument(app: App, { patientId, id }: GetFormDocumentRequest, call: Call) {
  const { id: clinicId, timezone } = clinicOf(call);
  if (!isUuid(patientId) || !isUuid(id)) fail('NOT_FOUND', 'Form not found');
  const form = await inTenant(app.db, clinicId, async (tx) => {
    const row = found(await findFormOf(tx, patientId, id), 'Form');
    await audit(tx, clinicId, call.caller, { action: 'form.downloaded', entityId: row.id, changes: { patient_id: patientId } });
    return row;
  });
  return drawForm(await app.profile.getClinicProfile({}, callAs(call.caller)), form, timezone);
}
