// The keys that encrypt the contents of files. Each is itself encrypted with the key ring, for its row only.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';

export const keyContext = (clinicId: string, id: string) => `${clinicId}/patient_files/key/${id}`;
export const thumbnailContext = (clinicId: string, id: string) => `${clinicId}/patient_files/thumbnail/${id}`;

/** Where the content of a file is in the store. */
export const objectKey = (clinicId: string, id: string) => `${clinicId}/${id}`;

export const encryptKey = (keys: NamedKey[], clinicId: string, id: string, key: string) => encrypt(keys, key, keyContext(clinicId, id));
export const decryptKey = (keys: NamedKey[], clinicId: string, { id, key_sealed }: { id: string; key_sealed: Buffer }) =>
  decrypt(keys, key_sealed, keyContext(clinicId, id));
