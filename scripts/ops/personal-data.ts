// Personal data and encrypted columns of the services, as their modules declare them.
import path from 'node:path';
import type { PersonalData } from '@clinic/lib/privacy/personal-data.ts';
import type { ServiceModule } from '@clinic/lib/runtime/service.ts';
import { PROJECT, SERVICES } from '../schemas.ts';

export async function personalDataOf(service: string): Promise<PersonalData> {
  const { default: definition } = (await import(path.join(PROJECT, 'services', service, 'service.ts'))) as { default: ServiceModule };
  return definition.personal;
}

/** The encrypted columns of each service that has any. */
export async function encryptedColumns() {
  const all = await Promise.all(SERVICES.map(async (service) => [service, (await personalDataOf(service)).encrypted] as const));
  return all.filter(([, columns]) => columns.length > 0);
}
