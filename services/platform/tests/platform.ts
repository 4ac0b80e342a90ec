// A running platform, for the tests of its handlers and consumers.
import { randomUUID } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { manualClock } from '@clinic/lib/clock.ts';
import { asSystem } from '@clinic/lib/db.ts';
import type { Consumer } from '@clinic/lib/events.ts';
import { asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { type CreateInviteCodeRequestSchema, InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import { StatsService } from '@clinic/proto/platform/v1/stats_pb.js';
import pg from 'pg';
import platform from '../service.ts';

/** Eight in the morning in San Salvador. */
export const NOW = new Date('2026-06-01T14:00:00Z');

export async function startPlatform() {
  const clock = manualClock(NOW);
  const service = await testService(platform, { clock });
  const codes = service.client(InviteCodeService);
  const stats = service.client(StatsService);
  const owner = new pg.Pool({ connectionString: service.database.ownerUrl, max: 2, options: '-c search_path=platform' });
  // The database is dropped by force, which may cut a connection on its way out.
  owner.on('error', () => {});
  await warmUp(service.db.pool);
  const asIdentity = asService('identity');
  return {
    service,
    clock,
    codes,
    createCode: (request: MessageInitShape<typeof CreateInviteCodeRequestSchema> = {}) => codes.createInviteCode(request, asOperator()),
    reserve: (code: string, clinicId = randomUUID(), email = 'ana@example.com') => codes.reserveInviteCode({ code, email, clinicId }, asIdentity),
    redeem: (id: string, clinicId: string) => codes.redeemInviteCode({ id, clinicId }, asIdentity),
    release: (id: string, clinicId: string) => codes.releaseInviteCode({ id, clinicId }, asIdentity),
    revoke: (id: string) => codes.revokeInviteCode({ id }, asOperator()),
    find: async (id: string) => (await codes.listInviteCodes({}, asOperator())).inviteCodes.find((code) => code.id === id),
    stats: () => stats.getStats({}, asOperator()),
    /** Delivers an event past the inbox, as if each delivery were the first. */
    deliver: <M extends DescMessage>(consumer: Consumer, schema: M, clinicId: string, event: MessageInitShape<M>) =>
      asSystem(service.db, (tx) => consumer.handle(tx, create(schema, event) as never, { id: randomUUID(), clinicId, subject: '' })),
    /** As the owner: for looking behind the curtain. */
    look: async (text: string, values: unknown[] = []) => (await owner.query(text, values)).rows,
    async stop() {
      await owner.end();
      await service.stop();
    },
  };
}

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** Opens all connections of the pool, since rivals that wait for one do not race. */
function warmUp(pool: pg.Pool) {
  return Promise.all(Array.from({ length: pool.options.max }, () => pool.query('select pg_sleep(0.1)')));
}

/** The reasons of the calls that failed, in order of the alphabet, and how many answered. */
export async function outcomes(calls: Promise<unknown>[]) {
  const settled = await Promise.allSettled(calls);
  const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.reason ?? String(one.reason)] : [])).sort();
  return { answered: settled.length - reasons.length, reasons };
}
