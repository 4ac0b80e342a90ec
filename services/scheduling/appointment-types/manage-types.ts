// Appointment types of a clinic. A deleted type is retained for its appointments.
import { audit, isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { MAX_CANCELLATION_TEXT, parseNoticeHours } from '@clinic/lib/formats/cancellation.ts';
import { COLOR } from '@clinic/lib/formats/color.ts';
import { parseMinutes } from '@clinic/lib/formats/duration.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import {
  AppointmentTypeService,
  type CreateAppointmentTypeRequest,
  type DeleteAppointmentTypeRequest,
  type ListAppointmentTypesRequest,
  type UpdateAppointmentTypeRequest,
} from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { countTemplates } from '../forms/form-templates.sql.ts';
import { RESOURCE_KINDS } from '../resources/resources.sql.ts';
import { deactivateType, findType, insertType, listTypes, lockType, replaceTypeDoctors, type TypeFields, updateType } from './appointment-types.sql.ts';

const NOUN = 'Appointment type';

export async function listAppointmentTypes(app: App, request: ListAppointmentTypesRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const doctorId = request.doctorId === undefined ? null : parseUuid('doctor_id', request.doctorId);
  const { rows, total } = await listTypes(app.db, clinicOf(call).id, { onlineBookable: request.onlineBookable ?? null, doctorId }, limit, offset);
  return { appointmentTypes: rows.map(toFields), total, page, limit };
}

export async function createAppointmentType(app: App, request: CreateAppointmentTypeRequest, call: Call) {
  const fields = parseFields(request, request.doctorIds, request.formTemplateIds);
  return idempotent(app.db, call, AppointmentTypeService.method.createAppointmentType, request, async (tx) => {
    const id = v7();
    await requireTemplates(tx, fields.form_template_ids);
    await insertType(tx, id, fields, app.clock.now());
    await setDoctors(tx, id, fields.doctor_ids);
    const [created] = await Promise.all([
      findType(tx, id),
      audit(tx, tx.clinicId, call.caller, { action: 'appointment_type.created', entityId: id, changes: fields }),
    ]);
    return toFields(found(created, NOUN));
  });
}

export async function updateAppointmentType(app: App, request: UpdateAppointmentTypeRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', `${NOUN} not found`);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockType(tx, request.id), NOUN);
    const changes = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
    const fields = parseFields(
      { ...toFields(before), ...changes },
      request.doctorIds?.ids ?? before.doctor_ids,
      request.formTemplateIds?.ids ?? before.form_template_ids,
    );
    if (isUnchanged(before, fields)) return toFields(before);
    await requireTemplates(tx, fields.form_template_ids);
    await updateType(tx, before.id, fields, app.clock.now());
    if (request.doctorIds) await setDoctors(tx, before.id, fields.doctor_ids);
    const after = found(await findType(tx, before.id), NOUN);
    await audit(tx, tx.clinicId, call.caller, { action: 'appointment_type.updated', entityId: before.id, changes: maskChanges(before, after, []) });
    return toFields(after);
  });
}

export async function deleteAppointmentType(app: App, request: DeleteAppointmentTypeRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', `${NOUN} not found`);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    if (!(await deactivateType(tx, request.id, app.clock.now()))) fail('NOT_FOUND', `${NOUN} not found`);
    await audit(tx, tx.clinicId, call.caller, { action: 'appointment_type.deleted', entityId: request.id });
    return { message: 'Appointment type deleted' };
  });
}

type TypeInput = Pick<CreateAppointmentTypeRequest, 'name' | 'durationMinutes' | 'color' | 'onlineBookable'> &
  Partial<Pick<CreateAppointmentTypeRequest, 'resourceKind' | 'cancellationNoticeHours' | 'cancellationText'>>;

const parseFields = (input: TypeInput, doctorIds: string[], formTemplateIds: string[]): TypeFields => ({
  name: parseText('name', input.name, 80),
  duration_minutes: parseMinutes('durationMinutes', input.durationMinutes),
  color: COLOR.test(input.color) ? input.color.toUpperCase() : invalid('color', 'must be #RRGGBB'),
  resource_kind: input.resourceKind ? parseOneOf('resourceKind', input.resourceKind, RESOURCE_KINDS) : null,
  online_bookable: input.onlineBookable,
  cancellation_notice_hours: parseOwnHours(input.cancellationNoticeHours),
  cancellation_text: parseOptionalText('cancellationText', input.cancellationText, MAX_CANCELLATION_TEXT),
  form_template_ids: parseIds('formTemplateIds', formTemplateIds),
  doctor_ids: parseIds('doctorIds', doctorIds),
});

const parseIds = (path: string, ids: string[]) => [...new Set(ids.map((id) => parseUuid(path, id)))].sort();

/** Null when absent or -1: the type has the clinic's notice. */
const parseOwnHours = (hours = -1): number | null => (hours === -1 ? null : parseNoticeHours('cancellationNoticeHours', hours));

async function setDoctors(tx: TenantTx, typeId: string, doctorIds: string[]): Promise<void> {
  if ((await replaceTypeDoctors(tx, typeId, doctorIds)) < doctorIds.length) fail('NOT_FOUND', 'Doctor not found');
}

async function requireTemplates(tx: TenantTx, ids: string[]): Promise<void> {
  if ((await countTemplates(tx, ids)) < ids.length) fail('NOT_FOUND', 'Form template not found');
}
