// An operator rejects a demo request.
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { RejectDemoRequestRequest } from '@clinic/proto/platform/v1/demo_request_pb.js';
import { type App, NO_CLINIC } from '../app.ts';
import { decideDemoRequest, lockDemoRequest } from './demo-requests.sql.ts';

export async function rejectDemoRequest(app: App, { id }: RejectDemoRequestRequest, call: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Demo request not found');
  // As the system: demo requests belong to no clinic.
  await asSystem(app.db, async (tx) => {
    found(await lockDemoRequest(tx, id), 'Demo request');
    if (!(await decideDemoRequest(tx, id, 'rejected', null, app.clock.now()))) fail('DEMO_NOT_PENDING');
    await audit(tx, NO_CLINIC, call.caller, { action: 'demo_request.rejected', entityId: id });
  });
  return { message: 'Demo request rejected' };
}
