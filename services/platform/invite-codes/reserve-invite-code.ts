// Identity holds a code while it makes a clinic. Why a code cannot be had is told to nobody.

import { asSystem } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { normalizeEmail } from '@clinic/lib/formats/email.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { ReserveInviteCodeRequest } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import type { App } from '../app.ts';
import { readCode } from './code-rules.ts';
import { subscriptionEnd } from './grant-rules.ts';
import { holdInviteCode, toTimestamp } from './invite-codes.sql.ts';

const HOLD_MS = 60_000;

export async function reserveInviteCode(app: App, request: ReserveInviteCodeRequest) {
  const clinicId = parseUuid('clinicId', request.clinicId);
  const code = readCode(parseText('code', request.code, 100));
  const email = normalizeEmail(request.email);
  if (code === undefined || email === undefined) fail('INVALID_INVITE_CODE');
  const now = app.clock.now();
  const hold = { code, email, clinicId, until: new Date(now.getTime() + HOLD_MS) };
  // As the system: invite codes belong to no clinic.
  const held = (await asSystem(app.db, (tx) => holdInviteCode(tx, hold, now))) ?? fail('INVALID_INVITE_CODE');
  return { id: held.id, plan: held.plan, subscriptionExpiresAt: toTimestamp(subscriptionEnd(held, now)) };
}
