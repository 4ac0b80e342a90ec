// The sealed columns of all services, from each one's sealed.ts.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { SealedColumn } from '@clinic/lib/reseal.ts';
import { PROJECT, SERVICES } from './schemas.ts';

/** By service; a service that seals nothing is not there. */
export async function sealedColumns(): Promise<[service: string, columns: SealedColumn[]][]> {
  const files = SERVICES.map((service) => [service, path.join(PROJECT, 'services', service, 'sealed.ts')] as const).filter(([, file]) => existsSync(file));
  return Promise.all(files.map(async ([service, file]) => [service, ((await import(file)) as { default: SealedColumn[] }).default]));
}
