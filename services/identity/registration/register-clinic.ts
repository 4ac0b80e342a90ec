// Registers a clinic with an invite code, which platform reserves during the registration. Unique constraints of this service ensure that
// a code registers only one clinic and that an e-mail address has only one account.
import { randomBytes } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { toDate } from '@clinic/lib/formats/timestamp.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { ClinicRegisteredSchema } from '@clinic/proto/events/v1/identity_pb.js';
import type { RegisterClinicRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { ReserveInviteCodeResponse } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import { NIL, v5, v7 } from 'uuid';
import { getAccount, isEmailTaken } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { insertClinic, type NewClinic } from '../clinics/clinics.sql.ts';
import { requesterOf } from '../credentials/passwords.ts';
import { createSession, toSession } from '../sessions/sessions.ts';
import { insertUser } from '../users/users.sql.ts';
import { parseRegistration } from './parse-registration.ts';
import { slugCandidates } from './slug-rules.ts';

export async function registerClinic(app: App, request: RegisterClinicRequest, call: Call) {
  const wanted = { ...(await parseRegistration(app.db, request)), user_agent: request.userAgent };
  const asIdentity = callAs(serviceCaller('identity', call.caller.requestId));
  const { invite_code: code, email } = wanted;
  const holder = holderOf(code, email);
  const grant = await app.inviteCodes.reserveInviteCode({ code, email, clinicId: holder }, asIdentity);
  const clinicId = v7();
  const session = await createClinic(app, wanted, clinicId, grant, call).catch(async (error: unknown) => {
    // If this fails, the reservation expires within a minute.
    await app.inviteCodes
      .releaseInviteCode({ id: grant.id, clinicId: holder }, asIdentity)
      .catch((err: unknown) => app.log.warn({ err, clinicId }, 'could not release the invite code; its reservation expires within a minute'));
    throw error;
  });
  // If this fails, platform redeems the code when it receives ClinicRegistered.
  await app.inviteCodes
    .redeemInviteCode({ id: grant.id, clinicId }, asIdentity)
    .catch((err: unknown) => app.log.warn({ err, clinicId }, 'could not redeem the invite code; platform redeems it with the event ClinicRegistered'));
  return session;
}

/**
 * For whom a code is reserved. A repeated request has the same reservation: that of the first one may have been stored although its response was
 * lost, or its process may have been killed.
 */
const holderOf = (code: string, email: string) => v5(`registration/${code}/${email}`, NIL);

type Wanted = Awaited<ReturnType<typeof parseRegistration>> & { user_agent: string };

async function createClinic(app: App, wanted: Wanted, clinicId: string, grant: ReserveInviteCodeResponse, call: Call) {
  if (await isEmailTaken(app.db, wanted.email)) fail('EMAIL_TAKEN');
  await app.requireUnbreached(wanted.password);
  const passwordHash = await app.passwords.hash(wanted.password, requesterOf(call.caller, wanted.email));
  const now = app.clock.now();
  const userId = v7();
  const clinic: NewClinic = {
    ...wanted,
    subscription_plan: grant.plan,
    subscription_expires_at: toDate(grant.subscriptionExpiresAt),
    invite_code_id: grant.id,
  };
  const admin = { id: userId, email: wanted.email, full_name: wanted.admin_name, app_role: 'admin', password_hash: passwordHash, registered_clinic: true };
  const { account, refresh } = await inTenant(app.db, clinicId, async (tx) => {
    await insertWithUnusedSlug(tx, clinic, now);
    const [, refresh, account] = await Promise.all([
      insertUser(tx, admin, now),
      createSession(tx, userId, { ip: call.caller.ip, userAgent: wanted.user_agent }, now),
      getAccount(tx, userId),
      emit(tx, clinicId, ClinicRegisteredSchema, {
        inviteCodeId: grant.id,
        plan: grant.plan,
        subscriptionExpiresAt: grant.subscriptionExpiresAt,
        timezone: clinic.timezone,
        registeredAt: timestampFromDate(now),
      }),
      audit(tx, clinicId, { ...call.caller, kind: 'user', id: userId }, { action: 'clinic.registered', entityId: clinicId }),
    ]);
    return { account, refresh };
  });
  return toSession(app, account, refresh, now);
}

async function insertWithUnusedSlug(tx: TenantTx, clinic: NewClinic, now: Date): Promise<void> {
  for (const slug of slugCandidates(clinic.name, () => randomBytes(4).toString('hex'))) {
    if (await insertClinic(tx, slug, clinic, now)) return;
  }
  fail('CONFLICT', 'No unused short name was found for this clinic: try again');
}
