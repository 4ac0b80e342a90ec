// A running platform service with fakes of its dependencies.
import { randomUUID } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import type { Consumer } from '@clinic/lib/events/events.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { StateService as BillingStateService } from '@clinic/proto/billing/v1/states_pb.js';
import type { OrderChangedSchema } from '@clinic/proto/events/v1/billing_pb.js';
import { type ClinicStateSchema, StateService as IdentityStateService } from '@clinic/proto/identity/v1/states_pb.js';
import { StateService as MessagingStateService } from '@clinic/proto/messaging/v1/states_pb.js';
import { DemoRequestService } from '@clinic/proto/platform/v1/demo_request_pb.js';
import { type CreateInviteCodeRequestSchema, InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import { type ListOperatorActionsResponseSchema, OperatorAuditService } from '@clinic/proto/platform/v1/operator_audit_pb.js';
import { StatsService } from '@clinic/proto/platform/v1/stats_pb.js';
import pg from 'pg';
import platform from '../service.ts';

/** 08:00 in San Salvador. */
export const NOW = new Date('2026-06-01T14:00:00Z');

type Lines = MessageInitShape<typeof ListOperatorActionsResponseSchema>;

/** What the fakes of identity, billing and messaging return: actions of operators and the states that they own. */
const standIns = () => ({
  identity: { actions: { actions: [], total: 0 } as Lines, clinics: [] as MessageInitShape<typeof ClinicStateSchema>[] },
  billing: { actions: { actions: [], total: 0 } as Lines, orders: [] as MessageInitShape<typeof OrderChangedSchema>[], clinicIds: [] as string[] },
  messaging: { actions: { actions: [], total: 0 } as Lines },
});

function transportsOf({ identity, billing, messaging }: ReturnType<typeof standIns>) {
  const app = { log: createLog('stand-in', 'silent'), constraints: {} };
  return {
    identity: localTransport([
      implement(app, IdentityStateService, {
        listOperatorActions: async () => identity.actions,
        listClinicStates: async (_app: unknown, { afterClinicId }: { afterClinicId: string }) => ({ clinics: afterClinicId === '' ? identity.clinics : [] }),
      }),
    ]),
    billing: localTransport([
      implement(app, BillingStateService, {
        listOperatorActions: async () => billing.actions,
        listOrderStates: async () => ({ orders: billing.orders, clinicIds: billing.clinicIds }),
      }),
    ]),
    messaging: localTransport([implement(app, MessagingStateService, { listOperatorActions: async () => messaging.actions })]),
  };
}

export async function startPlatform() {
  const clock = manualClock(NOW);
  const owners = standIns();
  const dependencies = transportsOf(owners);
  const service = await testService(platform, { clock, dependencies });
  const codes = service.client(InviteCodeService);
  const stats = service.client(StatsService);
  const owner = new pg.Pool({ connectionString: service.database.ownerUrl, max: 2, options: '-c search_path=platform' });
  // The database is dropped by force, which may end this connection with an error.
  owner.on('error', () => {});
  await warmUp(service.db.systemPool);
  const asIdentity = asService('identity');
  return {
    service,
    clock,
    owners,
    dependencies,
    demos: service.client(DemoRequestService),
    actions: service.client(OperatorAuditService),
    codes,
    createCode: (request: MessageInitShape<typeof CreateInviteCodeRequestSchema> = {}) => codes.createInviteCode(request, asOperator()),
    reserve: (code: string, clinicId = randomUUID(), email = 'ana@example.com') => codes.reserveInviteCode({ code, email, clinicId }, asIdentity),
    redeem: (id: string, clinicId: string) => codes.redeemInviteCode({ id, clinicId }, asIdentity),
    release: (id: string, clinicId: string) => codes.releaseInviteCode({ id, clinicId }, asIdentity),
    revoke: (id: string) => codes.revokeInviteCode({ id }, asOperator()),
    find: async (id: string) => (await codes.listInviteCodes({}, asOperator())).inviteCodes.find((code) => code.id === id),
    stats: () => stats.getStats({}, asOperator()),
    deliver: <M extends DescMessage>(consumer: Consumer, schema: M, clinicId: string, event: MessageInitShape<M>) =>
      deliver(service.db, consumer, clinicId, create(schema, event)),
    /** Queries as the owner of the database. */
    look: async (text: string, values: unknown[] = []) => (await owner.query(text, values)).rows,
    async stop() {
      await owner.end();
      await service.stop();
    },
  };
}

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** Opens all connections of the pool, so that calls run concurrently and do not wait for a connection. */
function warmUp(pool: pg.Pool) {
  return Promise.all(Array.from({ length: pool.options.max }, () => pool.query('select pg_sleep(0.1)')));
}

/** The number of calls that succeeded, and the sorted error reasons of the others. */
export async function outcomes(calls: Promise<unknown>[]) {
  const settled = await Promise.allSettled(calls);
  const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.reason ?? String(one.reason)] : [])).sort();
  return { answered: settled.length - reasons.length, reasons };
}
