// Contents of files, decrypted while they are sent, and thumbnails.
import { audit } from '@clinic/lib/audit/audit.ts';
import { decryptContent } from '@clinic/lib/crypto/content.ts';
import { decrypt } from '@clinic/lib/crypto/crypto.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf, type StreamCall } from '@clinic/lib/rpc/pipeline.ts';
import type { DownloadPatientFileRequest, GetPatientFileThumbnailRequest } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import type { App } from '../app.ts';
import { decryptKey, objectKey, thumbnailContext } from './content-keys.ts';
import { downloadName } from './file-rules.ts';
import { type ContentRow, findContent } from './files.sql.ts';

export async function* downloadPatientFile(app: App, request: DownloadPatientFileRequest, call: StreamCall) {
  const { id: clinicId } = clinicOf(call);
  const file = await loadFile(app, clinicId, request);
  const entry = { action: 'patient_file.downloaded', entityId: file.id, changes: { patient_id: request.patientId } } as const;
  await inTenant(app.db, clinicId, (tx) => audit(tx, clinicId, call.caller, entry));
  let head: object | undefined = { contentType: file.content_type, filename: downloadName(file.name, file.content_type), etag: file.id, size: file.size };
  for await (const content of openContent(app, clinicId, file)) {
    yield { ...(head && { head }), content };
    head = undefined;
  }
}

export async function getPatientFileThumbnail(app: App, request: GetPatientFileThumbnailRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { id, thumbnail_sealed } = await loadFile(app, clinicId, request);
  const content = decrypt(app.keys, found(thumbnail_sealed ?? undefined, 'Thumbnail'), thumbnailContext(clinicId, id));
  return { content: Buffer.from(content, 'base64'), contentType: 'image/webp', etag: `${id}-thumbnail` };
}

/** The content of a file. Throws UNAVAILABLE when the store does not have it. */
export async function* openContent({ files, keys }: Pick<App, 'files' | 'keys'>, clinicId: string, file: ContentRow): AsyncGenerator<Buffer> {
  const encrypted = await files.get(objectKey(clinicId, file.id));
  if (!encrypted) fail('UNAVAILABLE', 'The store does not have the content of this file');
  yield* decryptContent(decryptKey(keys, clinicId, file), Number(file.size), encrypted);
}

async function loadFile(app: App, clinicId: string, { patientId, id }: { patientId: string; id: string }): Promise<ContentRow> {
  if (!isUuid(patientId) || !isUuid(id)) fail('NOT_FOUND', 'File not found');
  return found(await findContent(app.db, clinicId, patientId, id), 'File');
}
