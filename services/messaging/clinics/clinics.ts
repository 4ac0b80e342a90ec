// Clinics as stored by identity, for work without a user, which calls other services on behalf of a clinic. Each `get` calls identity, so that
// switching off a feature takes effect immediately. While identity is unavailable, the last response is used for STALE_MS.
import { randomUUID } from 'node:crypto';
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { hasExpired } from '@clinic/lib/formats/plans.ts';
import { type CallerClinic, serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { ifFound, isReason } from '@clinic/lib/rpc/reasons.ts';
import type { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import type { CallOptions, Client } from '@connectrpc/connect';

/**
 * `isActive`: neither suspended nor expired. For a clinic that is not, the bot is silent and nothing is sent unprompted, since its staff can neither
 * see what patients book nor reply.
 */
export type Clinic = CallerClinic & { name: string; isActive: boolean; readOnly: boolean; features: string[] };

export type Clinics = {
  /** Throws NOT_FOUND, or UNAVAILABLE when identity is unavailable and there is no recent response. */
  get(clinicId: string): Promise<Clinic>;
  /** Options for calls to other services on behalf of the clinic, with an idempotency key if the call creates something. */
  callOptions(clinicId: string, idempotencyKey?: string): Promise<CallOptions>;
  /** Throws NOT_FOUND unless the user is an active user of the clinic. */
  checkUser(clinicId: string, userId: string): Promise<void>;
};

/** How old a response may be for callOptions(), since callees only use the plan, the zone, the country and the doctor limit of the clinic. */
const CALLER_MS = 30_000;
const STALE_MS = 10 * 60_000;
const MAX_CLINICS = 5_000;

export function createClinics(access: Client<typeof AccessService>, clock: Clock): Clinics {
  const cache = new Map<string, { clinic: Clinic; at: number }>();

  /** The last response if it is younger than `ms`. */
  function cached(clinicId: string, ms: number): Clinic | undefined {
    const found = cache.get(clinicId);
    return found && clock.now().getTime() < found.at + ms ? found.clinic : undefined;
  }

  async function get(clinicId: string): Promise<Clinic> {
    try {
      return await resolve(clinicId);
    } catch (error) {
      const last = isReason(error, 'UNAVAILABLE') && cached(clinicId, STALE_MS);
      if (last) return last;
      throw error;
    }
  }

  async function resolve(clinicId: string): Promise<Clinic> {
    const { name, readOnly, plan, timezone, country, features, doctorLimit, ...state } = await access.resolveClinic({ clinicId }, asMessaging());
    const isActive = state.isActive && !hasExpired(plan, state.subscriptionExpiresAt, clock.now());
    const clinic = { id: clinicId, name, isActive, readOnly, plan, timezone, country, features, ...(doctorLimit !== undefined && { doctorLimit }) };
    if (cache.size >= MAX_CLINICS) cache.clear();
    cache.set(clinicId, { clinic, at: clock.now().getTime() });
    return clinic;
  }

  return {
    get,
    async checkUser(clinicId, userId) {
      const user = await ifFound(access.resolveAccess({ clinicId, userId }, asMessaging()));
      if (!user?.userActive) fail('NOT_FOUND', 'User not found');
    },
    async callOptions(clinicId, idempotencyKey) {
      const { id, plan, timezone, country, doctorLimit } = cached(clinicId, CALLER_MS) ?? (await get(clinicId));
      const clinic = { id, plan, timezone, country, ...(doctorLimit !== undefined && { doctorLimit }) };
      return callAs({ ...serviceCaller('messaging', randomUUID()), clinic }, idempotencyKey);
    },
  };
}

/** Options for calls that are not made on behalf of a clinic. */
export const asMessaging = () => callAs(serviceCaller('messaging', randomUUID()));
