// Stores a document that the product generated as a file of a patient, for other modules.
import { createHash } from 'node:crypto';
import { audit } from '@clinic/lib/audit/audit.ts';
import { encryptContent, encryptedSize, newContentKey } from '@clinic/lib/crypto/content.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { encryptKey, objectKey } from './content-keys.ts';
import type { ContentType, FileKind } from './file-rules.ts';
import { deleteUpload, insertUpload, setStored } from './uploads.sql.ts';

type OwnDocument = { patientId: string; name: string; kind: FileKind; contentType: ContentType; content: Buffer };

/**
 * Returns the id of the new file. `link` stores the id in the transaction that makes the file visible; when it throws, there is no file. The
 * document counts for the quota of the plan, but is never refused because of it. Must not be called within a transaction.
 */
export async function storeFile(
  app: Pick<App, 'db' | 'clock' | 'keys' | 'files'>,
  caller: Caller,
  clinicId: string,
  { patientId, content, contentType, ...named }: OwnDocument,
  link: (tx: TenantTx, fileId: string) => Promise<unknown> = async () => {},
): Promise<string> {
  const [id, key, size] = [v7(), newContentKey(), BigInt(content.length)];
  const key_sealed = encryptKey(app.keys, clinicId, id, key);
  const upload = { id, patient_id: patientId, ...named, description: null, size, key_sealed, uploaded_by: null };
  await inTenant(app.db, clinicId, (tx) => insertUpload(tx, upload, app.clock.now()));
  try {
    await app.files.put(objectKey(clinicId, id), encryptedSize(content.length), asStream(encryptContent(key, content)));
    const hash = createHash('sha256').update(content).digest();
    await inTenant(app.db, clinicId, async (tx) => {
      if (!(await setStored(tx, id, { content_type: contentType, kind: named.kind, hash }, app.clock.now()))) fail('CONFLICT');
      const changes = { patient_id: patientId, hash: hash.toString('hex'), size: content.length };
      await audit(tx, clinicId, caller, { action: 'patient_file.stored', entityId: id, changes });
      await link(tx, id);
    });
    return id;
  } catch (error) {
    await inTenant(app.db, clinicId, (tx) => deleteUpload(tx, id));
    throw error;
  }
}

async function* asStream(chunks: Iterable<Buffer>) {
  yield* chunks;
}
