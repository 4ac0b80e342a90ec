// Reserves a code while identity registers a clinic. The error does not say why a code cannot be used.
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { normalizeEmail } from '@clinic/lib/formats/email.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { ReserveInviteCodeRequest } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import type { App } from '../app.ts';
import { parseCode } from './code-rules.ts';
import { reserve, toTimestamp } from './invite-codes.sql.ts';
import { subscriptionEnd } from './terms-rules.ts';

const RESERVATION_MS = 60_000;

export async function reserveInviteCode(app: App, request: ReserveInviteCodeRequest) {
  const clinicId = parseUuid('clinicId', request.clinicId);
  const code = parseCode(parseText('code', request.code, 100));
  const email = normalizeEmail(request.email);
  if (code === undefined || email === undefined) fail('INVALID_INVITE_CODE');
  const now = app.clock.now();
  const reservation = { code, email, clinicId, until: new Date(now.getTime() + RESERVATION_MS) };
  // As the system: invite codes belong to no clinic.
  const reserved = (await asSystem(app.db, (tx) => reserve(tx, reservation, now))) ?? fail('INVALID_INVITE_CODE');
  return { id: reserved.id, plan: reserved.plan, subscriptionExpiresAt: toTimestamp(subscriptionEnd(reserved, now)) };
}
