// Clinics as identity knows them: background work acts for a clinic without a user, and calls its neighbours as that clinic.
// What a clinic switches off is off at once; while identity is away, what was known last holds for some minutes.
import { randomUUID } from 'node:crypto';
import { fail } from '@clinic/lib/errors/errors.ts';
import { type CallerClinic, serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { isReason } from '@clinic/lib/rpc/reasons.ts';
import type { Clock } from '@clinic/lib/runtime/clock.ts';
import type { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import type { CallOptions, Client } from '@connectrpc/connect';

export type Clinic = CallerClinic & { name: string; isActive: boolean; features: string[] };

export type Clinics = {
  /** NOT_FOUND when there is none, UNAVAILABLE when identity is away and the clinic is not remembered. */
  get(clinicId: string): Promise<Clinic>;
  /** Call options of messaging acting for the clinic, with an idempotency key where the call creates something. */
  callOptions(clinicId: string, idempotencyKey?: string): Promise<CallOptions>;
  /** NOT_FOUND unless the user is an active one of the clinic. */
  checkUser(clinicId: string, userId: string): Promise<void>;
};

/** For calls to neighbours, which look at the plan and the zone of the caller at most. */
const ACTING_MS = 30_000;
const STALE_MS = 10 * 60_000;
const MOST = 5_000;

export function createClinics(access: Client<typeof AccessService>, clock: Clock): Clinics {
  const known = new Map<string, { clinic: Clinic; at: number }>();

  /** What was learnt no longer ago than that. */
  function remembered(clinicId: string, ms: number): Clinic | undefined {
    const found = known.get(clinicId);
    return found && clock.now().getTime() < found.at + ms ? found.clinic : undefined;
  }

  async function get(clinicId: string): Promise<Clinic> {
    try {
      return await ask(clinicId);
    } catch (error) {
      const last = isReason(error, 'UNAVAILABLE') && remembered(clinicId, STALE_MS);
      if (last) return last;
      throw error;
    }
  }

  async function ask(clinicId: string): Promise<Clinic> {
    const { name, isActive, plan, timezone, country, features, doctorLimit } = await access.resolveClinic({ clinicId }, asMessaging());
    const clinic = { id: clinicId, name, isActive, plan, timezone, country, features, ...(doctorLimit !== undefined && { doctorLimit }) };
    if (known.size >= MOST) known.clear();
    known.set(clinicId, { clinic, at: clock.now().getTime() });
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
    async callOptions(clinicId, idempotencyKey) {
      const { id, plan, timezone, country, doctorLimit } = remembered(clinicId, ACTING_MS) ?? (await get(clinicId));
      const clinic = { id, plan, timezone, country, ...(doctorLimit !== undefined && { doctorLimit }) };
      return callAs({ ...serviceCaller('messaging', randomUUID()), clinic }, idempotencyKey);
    },
  };
}

const asMessaging = () => callAs(serviceCaller('messaging', randomUUID()));
