// Identity reserves a code while it registers a clinic, and then redeems or releases it. As the system: invite codes belong to no clinic.
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { normalizeEmail } from '@clinic/lib/formats/email.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { RedeemInviteCodeRequest, ReleaseInviteCodeRequest, ReserveInviteCodeRequest } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import type { App } from '../app.ts';
import { parseCode } from './code-rules.ts';
import { findInviteCode, markInviteCodeUsed, release, reserve } from './invite-codes.sql.ts';
import { subscriptionEnd } from './terms-rules.ts';

const RESERVATION_MS = 60_000;

/** The error does not reveal why a code cannot be used. */
export async function reserveInviteCode(app: App, request: ReserveInviteCodeRequest) {
  const clinicId = parseUuid('clinicId', request.clinicId);
  const code = parseCode(parseText('code', request.code, 100));
  const email = normalizeEmail(request.email);
  if (code === undefined || email === undefined) fail('INVALID_INVITE_CODE');
  const now = app.clock.now();
  const reservation = { code, email, clinicId, until: new Date(now.getTime() + RESERVATION_MS) };
  const reserved = (await asSystem(app.db, (tx) => reserve(tx, reservation, now))) ?? fail('INVALID_INVITE_CODE');
  return { id: reserved.id, plan: reserved.plan, subscriptionExpiresAt: toTimestamp(subscriptionEnd(reserved, now)) };
}

export async function redeemInviteCode(app: App, request: RedeemInviteCodeRequest) {
  const id = parseUuid('id', request.id);
  const clinicId = parseUuid('clinicId', request.clinicId);
  await asSystem(app.db, async (tx) => {
    if (await markInviteCodeUsed(tx, id, clinicId, app.clock.now())) return;
    found(await findInviteCode(tx, id), 'Invite code');
    fail('INVITE_CODE_USED');
  });
  return {};
}

export async function releaseInviteCode(app: App, request: ReleaseInviteCodeRequest) {
  const id = parseUuid('id', request.id);
  const clinicId = parseUuid('clinicId', request.clinicId);
  await asSystem(app.db, (tx) => release(tx, id, clinicId));
  return {};
}
