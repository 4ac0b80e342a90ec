// Form templates of a clinic. Each change creates a version, so that a form always shows what its patient was asked.
import { audit, isUnchanged } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { FormService } from '@clinic/proto/scheduling/v1/form_pb.js';
import type {
  CreateFormTemplateRequest,
  GetFormTemplateRequest,
  ListFormTemplatesRequest,
  UpdateFormTemplateRequest,
} from '@clinic/proto/scheduling/v1/form_template_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { MAX_FORM_TEXT, parseFields } from './form-rules.ts';
import { findTemplate, insertVersion, listTemplates, lockTemplate, retireVersion, toProto } from './form-templates.sql.ts';
import { addStandardTemplates } from './standard-templates.ts';

const NOUN = 'Form template';
const MAX_VERSION = 2 ** 31 - 1;

export async function listFormTemplates(app: App, request: ListFormTemplatesRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const page = parsePage(request, 50, 500);
  await addStandardTemplates(app, clinicId);
  const filter = { isActive: request.isActive ?? null, required: request.required ?? null };
  const { rows, total } = await listTemplates(app.db, clinicId, filter, page);
  return { templates: rows.map(toProto), total, page: page.page, limit: page.limit };
}

export async function getFormTemplate(app: App, { id, version }: GetFormTemplateRequest, call: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', `${NOUN} not found`);
  const wanted = version === undefined ? null : parseInteger('version', version, 1, MAX_VERSION);
  return toProto(found(await findTemplate(app.db, clinicOf(call).id, id, wanted), NOUN));
}

export async function createFormTemplate(app: App, request: CreateFormTemplateRequest, call: Call) {
  const content = {
    title: parseText('title', request.title, 200),
    text: parseOptionalText('text', request.text, MAX_FORM_TEXT),
    fields: parseFields(request.fields),
    required: request.required,
  };
  return idempotent(app.db, call, FormService.method.createFormTemplate, request, async (tx) => {
    const template = { id: v7(), version: 1, ...content, is_active: true, created_by: call.caller.id, created_at: app.clock.now() };
    await insertVersion(tx, template);
    await audit(tx, tx.clinicId, call.caller, { action: 'form_template.created', entityId: template.id, changes: { title: template.title } });
    return toProto(template);
  });
}

export async function updateFormTemplate(app: App, request: UpdateFormTemplateRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', `${NOUN} not found`);
  const changes = {
    ...(request.title !== undefined && { title: parseText('title', request.title, 200) }),
    ...(request.text !== undefined && { text: parseOptionalText('text', request.text, MAX_FORM_TEXT) }),
    ...(request.fields.length > 0 && { fields: parseFields(request.fields) }),
    ...(request.required !== undefined && { required: request.required }),
    ...(request.isActive !== undefined && { is_active: request.isActive }),
  };
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockTemplate(tx, request.id), NOUN);
    if (isUnchanged(before, changes)) return toProto(before);
    const after = { ...before, ...changes, version: before.version + 1, created_by: call.caller.id, created_at: app.clock.now() };
    await retireVersion(tx, before);
    await insertVersion(tx, after);
    await audit(tx, tx.clinicId, call.caller, {
      action: 'form_template.updated',
      entityId: after.id,
      changes: { version: after.version, fields: Object.keys(changes) },
    });
    return toProto(after);
  });
}
