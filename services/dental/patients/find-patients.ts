// The patient of a request, who belongs to scheduling.

import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { FoundPatient } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../app.ts';

/** Throws NOT_FOUND with `Patient not found` for what is no patient of the caller's clinic. */
export async function getPatient(app: App, call: Call, id: string): Promise<FoundPatient> {
  if (!isUuid(id)) fail('NOT_FOUND', 'Patient not found');
  return app.lookup.findPatient({ id }, callAs(call.caller));
}
