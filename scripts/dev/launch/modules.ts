// Loads the code of all services.
import type { ServiceModule } from '@clinic/lib/runtime/service.ts';
import { SERVICES } from '../../schemas.ts';

// biome-ignore lint/suspicious/noExplicitAny: modules differ in their settings, and here they are only passed on
export type AnyModule = ServiceModule<any>;

export async function loadModules(): Promise<AnyModule[]> {
  return Promise.all(SERVICES.map(async (name) => ((await import(`../../../services/${name}/service.ts`)) as { default: AnyModule }).default));
}
