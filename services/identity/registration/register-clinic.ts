// A clinic registers with an invite code. The code is held at platform while the clinic is made; that a code makes one
// clinic and an e-mail one account, the unique constraints decide here.
import { randomBytes } from 'node:crypto';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { ClinicRegisteredSchema } from '@clinic/proto/events/v1/identity_pb.js';
import type { RegisterClinicRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { ReserveInviteCodeResponse } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import { v7 } from 'uuid';
import { findAccount } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { insertClinic, type NewClinic, toTimestamp } from '../clinics/clinics.sql.ts';
import { beginFamily, toSession } from '../sessions/sessions.ts';
import { insertUser } from '../users/users.sql.ts';
import { readRegistration } from './read-registration.ts';
import { slugCandidates } from './slug-rules.ts';

export async function registerClinic(app: App, request: RegisterClinicRequest, call: Call) {
  const wanted = { ...readRegistration(request), user_agent: request.userAgent };
  const clinicId = v7();
  const asIdentity = callAs(serviceCaller('identity', call.caller.requestId));
  const grant = await app.inviteCodes.reserveInviteCode({ code: wanted.invite_code, email: wanted.email, clinicId }, asIdentity);
  const held = { id: grant.id, clinicId };
  const session = await makeClinic(app, wanted, clinicId, grant, call).catch(async (error: unknown) => {
    // Unreleased, the code is free again within a minute.
    await app.inviteCodes.releaseInviteCode(held, asIdentity).catch((err: unknown) => app.log.warn({ err, clinicId }, 'invite code not released'));
    throw error;
  });
  // The event says the same, should this be lost.
  await app.inviteCodes.redeemInviteCode(held, asIdentity).catch((err: unknown) => app.log.warn({ err, clinicId }, 'invite code not redeemed yet'));
  return session;
}

type Wanted = ReturnType<typeof readRegistration> & { user_agent: string };

async function makeClinic(app: App, wanted: Wanted, clinicId: string, grant: ReserveInviteCodeResponse, call: Call) {
  const passwordHash = await app.passwords.hash(wanted.password);
  const now = app.clock.now();
  const userId = v7();
  const clinic: NewClinic = {
    name: wanted.name,
    phone: wanted.phone,
    city: wanted.city,
    timezone: wanted.timezone,
    clinic_type: wanted.clinic_type,
    subscription_plan: grant.plan,
    subscription_expires_at: grant.subscriptionExpiresAt ? timestampDate(grant.subscriptionExpiresAt) : null,
    invite_code_id: grant.id,
  };
  const admin = { id: userId, email: wanted.email, full_name: wanted.admin_name, app_role: 'admin', password_hash: passwordHash, registered_clinic: true };
  const { account, refresh } = await inTenant(app.db, clinicId, async (tx) => {
    await insertUnderFreeSlug(tx, clinic, now);
    const [, begun, made] = await Promise.all([
      insertUser(tx, admin, now),
      beginFamily(tx, userId, { ip: call.caller.ip, userAgent: wanted.user_agent }, now),
      findAccount(tx, userId),
      emit(tx, clinicId, ClinicRegisteredSchema, {
        inviteCodeId: grant.id,
        plan: grant.plan,
        subscriptionExpiresAt: toTimestamp(clinic.subscription_expires_at),
        timezone: clinic.timezone,
        registeredAt: timestampFromDate(now),
      }),
      audit(tx, clinicId, { ...call.caller, kind: 'user', id: userId }, { action: 'clinic.registered', entityId: clinicId }),
    ]);
    return { account: found(made, 'User'), refresh: begun };
  });
  return toSession(app, account, refresh, now);
}

async function insertUnderFreeSlug(tx: TenantTx, clinic: NewClinic, now: Date): Promise<void> {
  for (const slug of slugCandidates(clinic.name, () => randomBytes(4).toString('hex'))) {
    if (await insertClinic(tx, slug, clinic, now)) return;
  }
  fail('CONFLICT', 'No free short name was found for this clinic: try again');
}
