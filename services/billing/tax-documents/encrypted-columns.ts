// Encrypted columns of tax documents, as JSON. A ciphertext can be decrypted only in its own row and column.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import type { EncryptedColumn } from '@clinic/lib/crypto/reencrypt.ts';

export const issuerContext = (clinicId: string, column: string) => `billing:dte_issuers:${clinicId}:${column}`;
export const documentContext = (clinicId: string, id: string) => `billing:dte_documents:${clinicId}:${id}:content`;
export const eventContext = (clinicId: string, id: string) => `billing:dte_events:${clinicId}:${id}:content`;
export const profileContext = (clinicId: string, patientId: string) => `billing:dte_tax_profiles:${clinicId}:${patientId}:profile`;

export const wordContext = (clinicId: string, documentId: string, number: number) => `billing:dte_receiver_words:${clinicId}:${documentId}:${number}`;
export const wordIndexContext = (clinicId: string) => `billing:dte_receiver_words:${clinicId}:index`;

export const encryptJson = (keys: NamedKey[], value: object, context: string): Buffer => encrypt(keys, JSON.stringify(value), context);

/** `T` is the type of the value that was encrypted. */
export const decryptJson = <T>(keys: NamedKey[], ciphertext: Buffer, context: string): T => JSON.parse(decrypt(keys, ciphertext, context)) as T;

const issuerColumn = (column: string): EncryptedColumn => ({
  table: 'dte_issuers',
  key: ['clinic_id'],
  column: `${column}_sealed`,
  context: ({ clinic_id }) => issuerContext(clinic_id, column),
});

/** For the rotation of keys. */
export const ENCRYPTED_COLUMNS: EncryptedColumn[] = [
  issuerColumn('profile'),
  issuerColumn('provider'),
  issuerColumn('signing'),
  { table: 'dte_documents', key: ['clinic_id', 'id'], column: 'content_sealed', context: ({ clinic_id, id }) => documentContext(clinic_id, id) },
  { table: 'dte_events', key: ['clinic_id', 'id'], column: 'content_sealed', context: ({ clinic_id, id }) => eventContext(clinic_id, id) },
  {
    table: 'dte_tax_profiles',
    key: ['clinic_id', 'patient_id'],
    column: 'profile_sealed',
    context: ({ clinic_id, patient_id }) => profileContext(clinic_id, patient_id),
  },
  {
    table: 'dte_receiver_words',
    key: ['clinic_id', 'document_id', 'number'],
    column: 'word_sealed',
    context: ({ clinic_id, document_id, number }) => wordContext(clinic_id, document_id, number),
    index: { column: 'word_index', context: ({ clinic_id }) => wordIndexContext(clinic_id) },
  },
];
