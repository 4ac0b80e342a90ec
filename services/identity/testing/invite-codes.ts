// A fake of platform's InviteCodeService. It accepts every code and records the reservations and the redeemed and released codes.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { fail, type Reason } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';

const DAY_MS = 24 * 3_600_000;

export function fakeInviteCodes(clock: Clock) {
  const state = {
    /** If set, every registration gets this code, as if the reservation of an earlier one had expired. */
    id: undefined as string | undefined,
    plan: 'pro',
    days: 30,
    failing: {} as { reserve?: Reason; redeem?: Reason; release?: Reason },
    /** The registrations for which a code was requested, also if the fake then failed. */
    reservedBy: [] as string[],
    redeemed: [] as string[],
    released: [] as string[],
  };
  const handlers = {
    reserveInviteCode: async (_app: unknown, { clinicId }: { clinicId: string }) => {
      state.reservedBy.push(clinicId);
      if (state.failing.reserve) fail(state.failing.reserve);
      const end = timestampFromDate(new Date(clock.now().getTime() + state.days * DAY_MS));
      return { id: state.id ?? randomUUID(), plan: state.plan, subscriptionExpiresAt: state.plan === 'forever_free' ? undefined : end };
    },
    redeemInviteCode: async (_app: unknown, { id }: { id: string }) => {
      if (state.failing.redeem) fail(state.failing.redeem);
      state.redeemed.push(id);
      return {};
    },
    releaseInviteCode: async (_app: unknown, { id }: { id: string }) => {
      if (state.failing.release) fail(state.failing.release);
      state.released.push(id);
      return {};
    },
    createInviteCode: () => fail('FORBIDDEN'),
    listInviteCodes: () => fail('FORBIDDEN'),
    revokeInviteCode: () => fail('FORBIDDEN'),
  };
  const app = { log: createLog('invite-codes', 'silent'), constraints: {} };
  return Object.assign(state, { transport: localTransport([implement(app, InviteCodeService, handlers)]) });
}
