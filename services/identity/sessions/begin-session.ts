// Begins a session after a correct password or PIN, and a correct code if the user has a second factor.
import { audit } from '@clinic/lib/audit/audit.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { notify } from '../notices/notices.ts';
import { createSession, type RefreshToken } from './sessions.ts';

/** `id`: that of the session, new by default. `known`: the address or device is known for the user. */
type SignIn = { id?: string | undefined; call: Call; userAgent: string; device: string; known: boolean; byPin: boolean };

/** Throws UNAUTHENTICATED if a session with this id has begun before. */
export async function beginSession(tx: TenantTx, userId: string, { id, call, userAgent, device, known, byPin }: SignIn, now: Date): Promise<RefreshToken> {
  const { clinicId } = tx;
  const { caller } = call;
  const actor = caller.kind === 'user' ? caller : { ...caller, kind: 'user' as const, id: userId };
  const [session] = await Promise.all([
    createSession(tx, userId, { ip: caller.ip, userAgent, device }, now, byPin, id),
    audit(tx, clinicId, actor, { action: byPin ? 'user.switched' : 'user.signed_in', entityId: userId }),
  ]);
  if (!known && session.others) await notify(tx, 'new_device', { clinicId, userId, sessionId: session.familyId }, now);
  return session;
}
