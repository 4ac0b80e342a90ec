// The form as PDF, drawn from its row: of a signed form, which never changes, it is always the same document.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetFormDocumentRequest } from '@clinic/proto/scheduling/v1/form_pb.js';
import type { App } from '../app.ts';
import { drawForm } from './form-document.ts';
import { findFormOf } from './forms.sql.ts';

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
