// The encrypted columns of all services, as their modules declare them.
import type { EncryptedColumn } from '@clinic/lib/crypto/reencrypt.ts';
import { SERVICES } from '../schemas.ts';
import { personalDataOf } from './personal-data.ts';

/** By service; a service that encrypts nothing is absent. */
export async function encryptedColumns(): Promise<[service: string, columns: readonly EncryptedColumn[]][]> {
  const all = await Promise.all(
    SERVICES.map(async (service): Promise<[string, readonly EncryptedColumn[]]> => [service, (await personalDataOf(service)).encrypted]),
  );
  return all.filter(([, columns]) => columns.length > 0);
}
