// The encrypted columns of all services, as their modules declare them.
import type { SealedColumn } from '@clinic/lib/crypto/reseal.ts';
import { SERVICES } from '../schemas.ts';
import { personalDataOf } from './personal-data.ts';

/** By service; a service that encrypts nothing is absent. */
export async function sealedColumns(): Promise<[service: string, columns: readonly SealedColumn[]][]> {
  const all = await Promise.all(SERVICES.map(async (service): Promise<[string, readonly SealedColumn[]]> => [service, (await personalDataOf(service)).sealed]));
  return all.filter(([, columns]) => columns.length > 0);
}
