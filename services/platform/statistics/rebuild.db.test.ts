// Orders in the statistics, and the rebuild of the projections.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { StateService as BillingStateService } from '@clinic/proto/billing/v1/states_pb.js';
import { OrderChangedSchema } from '@clinic/proto/events/v1/billing_pb.js';
import { AppointmentBookedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { StateService as IdentityStateService } from '@clinic/proto/identity/v1/states_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { createClient } from '@connectrpc/connect';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { NOW, type Platform, startPlatform } from '../testing/platform.ts';
import { onAppointmentBooked, onOrderChanged } from './consumers.ts';
import { rebuildProjections } from './rebuild.ts';

let p: Platform;
beforeEach(async () => {
  p = await startPlatform();
});
afterEach(() => p.stop());

const orderState = (orderId: string, changed: object = {}) => ({
  orderId,
  status: 'paid',
  totalCents: 2900n,
  refundedCents: 0n,
  orderedAt: timestampFromDate(NOW),
  revision: 1,
  ...changed,
});
const order = (orderId: string, changed: object = {}) => p.deliver(onOrderChanged, OrderChangedSchema, randomUUID(), orderState(orderId, changed));

test('revenue is what was paid this month (UTC−6), less refunds', async () => {
  await order('a');
  await order('a');
  await order('b', { status: 'partially_refunded', refundedCents: 900n, revision: 2 });
  await order('b', { revision: 1 });
  await order('c', { status: 'refunded', refundedCents: 2900n, revision: 2 });
  await order('d', { orderedAt: timestampFromDate(new Date('2026-06-01T05:59:59Z')) });
  await order('e', { orderedAt: timestampFromDate(new Date('2026-06-01T06:00:00Z')) });
  expect(await p.stats()).toMatchObject({ totalOrders: 5, revenueThisMonth: 2900n + 2000n + 2900n });
  p.clock.set(new Date('2026-07-01T06:00:00Z'));
  expect(await p.stats()).toMatchObject({ totalOrders: 5, revenueThisMonth: 0n });
});

test('a rebuild corrects wrong rows, removes unknown ones and adds missing ones', async () => {
  const clinicId = randomUUID();
  const appointmentId = randomUUID();
  await order('stray', { revision: 9 });
  await order('right', { totalCents: 1n, revision: 7 });
  p.owners.identity.clinics = [
    {
      clinicId,
      plan: 'pro',
      subscriptionExpiresAt: timestampFromDate(new Date('2027-01-01T00:00:00Z')),
      isActive: true,
      timezone: 'America/El_Salvador',
      registeredAt: timestampFromDate(NOW),
      revision: 3,
    },
  ];
  p.owners.billing.orders = [orderState('right', { revision: 2 })];
  p.owners.billing.clinicIds = [clinicId];
  const states = {
    appointments: [{ appointmentId, appointmentDate: '2026-06-01', status: 'confirmed', timezone: 'America/El_Salvador', revision: 2 }],
    clinicIds: [clinicId],
  };
  const handlers = Object.fromEntries(LookupService.methods.map(({ localName }) => [localName, async () => states]));
  const lookup = implement({ log: createLog('scheduling', 'silent'), constraints: {} }, LookupService, handlers as never);
  const owners = {
    identity: createClient(IdentityStateService, p.dependencies.identity),
    billing: createClient(BillingStateService, p.dependencies.billing),
    scheduling: createClient(LookupService, localTransport([lookup])),
  };
  // An earlier release stored the day from which the appointment was moved.
  await p.deliver(onAppointmentBooked, AppointmentBookedSchema, clinicId, {
    appointment: { appointmentId, appointmentDate: '2026-05-31', status: 'confirmed', timezone: 'America/El_Salvador', revision: 1 },
  });
  expect((await p.stats()).apptToday).toBe(0);
  const reported: string[] = [];
  for (let twice = 0; twice < 2; twice++) await rebuildProjections(p.service.db, owners, (line) => reported.push(line));
  expect(await p.stats()).toMatchObject({ totalClinics: 1, activeClinics: 1, recentSignups: 1, apptToday: 1, totalOrders: 1, revenueThisMonth: 2900n });
  expect(reported.slice(0, 3)).toEqual(['clinics: 1', 'appointments: 1', 'orders: 1']);
});
