// An operator creates an invite code.
import { randomBytes } from 'node:crypto';
import { audit } from '@clinic/lib/audit/audit.ts';
import { parseEmail } from '@clinic/lib/formats/email.ts';
import { parseInteger, parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { PLANS } from '@clinic/lib/formats/plans.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { NO_CLINIC } from '@clinic/lib/formats/uuid.ts';
import { idempotentWithoutClinic } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateInviteCodeRequest, InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { codeFrom } from './code-rules.ts';
import { insertInviteCode, toProto } from './invite-codes.sql.ts';
import { termsOf } from './terms-rules.ts';

export async function createInviteCode(app: App, request: CreateInviteCodeRequest, call: Call) {
  const plan = parseOneOf('plan', request.plan ?? 'basic', PLANS);
  const days = parseInteger('expiresInDays', request.expiresInDays ?? 30, 0, 3650);
  const email = request.email === undefined ? null : parseEmail('email', request.email);
  const notes = parseOptionalText('notes', request.notes, 2000);
  return idempotentWithoutClinic(app.db, call, InviteCodeService.method.createInviteCode, request, async (tx) => {
    const now = app.clock.now();
    const id = v7();
    const terms = termsOf(plan, days, now);
    const [created] = await Promise.all([
      insertInviteCode(tx, { id, code: codeFrom(randomBytes(12)), email, source: 'manual', notes, ...terms }, now),
      audit(tx, NO_CLINIC, call.caller, { action: 'invite_code.created', entityId: id, changes: { plan, days: terms.days } }),
    ]);
    return toProto(created);
  });
}
