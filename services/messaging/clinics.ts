// Clinics as identity knows them, remembered for half a minute: background work acts for a clinic without a user, and
// calls its neighbours as that clinic.
import { randomUUID } from 'node:crypto';
import { type CallerClinic, serviceCaller } from '@clinic/lib/caller.ts';
import type { Clock } from '@clinic/lib/clock.ts';
import { fail } from '@clinic/lib/errors.ts';
import { as } from '@clinic/lib/rpc/context.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { type CallOptions, createClient, type Transport } from '@connectrpc/connect';

import { isReason } from './reasons.ts';

export type Clinic = CallerClinic & { name: string; isActive: boolean; features: string[] };

export type Clinics = {
  /** NOT_FOUND when there is none, UNAVAILABLE when identity is away and the clinic is not remembered. */
  get(clinicId: string): Promise<Clinic>;
  /** Call options of messaging acting for the clinic, with an idempotency key where the call creates something. */
  acting(clinicId: string, idempotencyKey?: string): Promise<CallOptions>;
  /** NOT_FOUND unless the user is an active one of the clinic. */
  checkUser(clinicId: string, userId: string): Promise<void>;
};

const REMEMBER_MS = 30_000;
const MOST = 5_000;

export function createClinics(identity: Transport, clock: Clock): Clinics {
  const access = createClient(AccessService, identity);
  const known = new Map<string, { clinic: Clinic; until: number }>();

  async function get(clinicId: string): Promise<Clinic> {
    const now = clock.now().getTime();
    const remembered = known.get(clinicId);
    if (remembered && now < remembered.until) return remembered.clinic;
    const { name, isActive, plan, timezone, country, features, doctorLimit } = await access.resolveClinic({ clinicId }, asMessaging());
    const clinic = { id: clinicId, name, isActive, plan, timezone, country, features, ...(doctorLimit !== undefined && { doctorLimit }) };
    if (known.size >= MOST) known.clear();
    known.set(clinicId, { clinic, until: now + REMEMBER_MS });
    return clinic;
  }

  return {
    get,
    async checkUser(clinicId, userId) {
      const user = await access.resolveAccess({ clinicId, userId }, asMessaging()).catch((error: unknown) => {
        if (isReason(error, 'NOT_FOUND')) return undefined;
        throw error;
      });
      if (!user?.userActive) fail('NOT_FOUND', 'User not found');
    },
    async acting(clinicId, idempotencyKey) {
      const { id, plan, timezone, country, doctorLimit } = await get(clinicId);
      const clinic = { id, plan, timezone, country, ...(doctorLimit !== undefined && { doctorLimit }) };
      return as({ ...serviceCaller('messaging', randomUUID()), clinic }, idempotencyKey);
    },
  };
}

const asMessaging = () => as(serviceCaller('messaging', randomUUID()));
