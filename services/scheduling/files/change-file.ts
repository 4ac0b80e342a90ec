// Changes what is known of a file, and deletes files. Contents never change.
import { audit, isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DeletePatientFileRequest, UpdatePatientFileRequest } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import type { App } from '../app.ts';
import { cleanName, FILE_KINDS } from './file-rules.ts';
import { deleteFile, lockFile, toProto, updateFile } from './files.sql.ts';
import { MAX_DESCRIPTION } from './upload-file.ts';

export async function updatePatientFile(app: App, request: UpdatePatientFileRequest, call: Call) {
  const { patientId, id } = request;
  if (!isUuid(patientId) || !isUuid(id)) fail('NOT_FOUND', 'File not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockFile(tx, patientId, id), 'File');
    const after = {
      ...before,
      name: request.name === undefined ? before.name : cleanName(request.name) || invalid('name', 'must not be empty'),
      kind: request.kind === undefined ? before.kind : parseOneOf('kind', request.kind, FILE_KINDS),
      description: request.description === undefined ? before.description : parseOptionalText('description', request.description, MAX_DESCRIPTION),
    };
    if (isUnchanged(before, after)) return toProto(before);
    await updateFile(tx, after);
    const changes = maskChanges(before, after, ['name', 'description']);
    await audit(tx, tx.clinicId, call.caller, { action: 'patient_file.updated', entityId: before.id, changes });
    return toProto(after);
  });
}

export async function deletePatientFile(app: App, { patientId, id }: DeletePatientFileRequest, call: Call) {
  if (!isUuid(patientId) || !isUuid(id)) fail('NOT_FOUND', 'File not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const file = found(await lockFile(tx, patientId, id), 'File');
    if (!(await deleteFile(tx, file.id))) fail('FORM_SIGNED');
    const changes = { patient_id: file.patient_id, hash: file.hash.toString('hex') };
    await audit(tx, tx.clinicId, call.caller, { action: 'patient_file.deleted', entityId: file.id, changes });
    return { message: 'File deleted' };
  });
}
