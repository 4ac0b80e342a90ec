// An operator accepts or rejects a demo request.
import { randomBytes } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { isUuid, NO_CLINIC } from '@clinic/lib/formats/uuid.ts';
import { idempotentWithoutClinic } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { DemoAcceptedSchema } from '@clinic/proto/events/v1/platform_pb.js';
import { type AcceptDemoRequestRequest, DemoRequestService, type RejectDemoRequestRequest } from '@clinic/proto/platform/v1/demo_request_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { codeFrom } from '../invite-codes/code-rules.ts';
import { insertInviteCode } from '../invite-codes/invite-codes.sql.ts';
import { termsOf } from '../invite-codes/terms-rules.ts';
import { decideDemoRequest, lockDemoRequest } from './demo-requests.sql.ts';

/** Creates a trial code for the e-mail address of the request: exactly one, even if several operators accept it concurrently. */
export async function acceptDemoRequest(app: App, request: AcceptDemoRequestRequest, call: Call) {
  const { id } = request;
  const days = parseInteger('expiresInDays', request.expiresInDays ?? 7, 0, 3650);
  if (!isUuid(id)) fail('NOT_FOUND', 'Demo request not found');
  return idempotentWithoutClinic(app.db, call, DemoRequestService.method.acceptDemoRequest, request, async (tx) => {
    const now = app.clock.now();
    const demo = found(await lockDemoRequest(tx, id), 'Demo request');
    if (demo.status !== 'pending') fail('DEMO_NOT_PENDING');
    const codeId = v7();
    const terms = termsOf('trial', days, now);
    const created = await insertInviteCode(tx, { id: codeId, code: codeFrom(randomBytes(12)), email: demo.email, source: 'demo', notes: null, ...terms }, now);
    await decideDemoRequest(tx, id, 'accepted', codeId, now);
    await emit(tx, NO_CLINIC, DemoAcceptedSchema, { demoRequestId: id, inviteCodeId: codeId, expiresAt: timestampFromDate(created.expires_at ?? now) });
    await audit(tx, NO_CLINIC, call.caller, { action: 'demo_request.accepted', entityId: id, changes: { days, invite_code_id: codeId } });
    return { message: 'Demo request accepted. The invite code is sent by e-mail', inviteCode: created.code };
  });
}

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
