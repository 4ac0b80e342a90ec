// Personal data and encrypted columns of a service, as its modules declare them.
import path from 'node:path';
import type { PersonalData } from '@clinic/lib/privacy/personal-data.ts';
import type { ServiceModule } from '@clinic/lib/runtime/service.ts';
import { PROJECT } from '../schemas.ts';

export async function personalDataOf(service: string): Promise<PersonalData> {
  const { default: definition } = (await import(path.join(PROJECT, 'services', service, 'service.ts'))) as { default: ServiceModule };
  return definition.personal;
}
