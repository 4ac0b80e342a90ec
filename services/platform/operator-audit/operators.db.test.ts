// The operators' audit log over all services.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { NO_CLINIC } from '@clinic/lib/formats/uuid.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { commandSucceeded } from '@clinic/lib/telemetry/metrics.ts';
import { asOperator } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Platform, startPlatform } from '../testing/platform.ts';
import { watchCommands } from './watch-commands.ts';

let p: Platform;
beforeEach(async () => {
  p = await startPlatform();
});
afterEach(() => p.stop());

test('the actions of operators in all services are merged, with the names of their keys', async () => {
  const { id } = await p.codes.createInviteCode({ plan: 'pro' }, asOperator('maria'));
  await p.codes.revokeInviteCode({ id }, asOperator('jorge'));
  const far = (at: string) => ({
    id: randomUUID(),
    at: timestampFromDate(new Date(at)),
    operator: 'ana',
    action: 'clinic.updated',
    entity: 'clinic',
    entityId: randomUUID(),
  });
  p.owners.identity.actions = { actions: [far('2999-01-01T00:00:00Z'), far('2001-01-01T00:00:00Z')], total: 2 };
  p.owners.billing.actions = { actions: [far('2998-01-01T00:00:00Z')], total: 1 };
  const list = (request: object) => p.actions.listOperatorActions(request, asOperator());
  const all = await list({});
  expect(all.actions.map(({ operator, action }) => `${operator} ${action}`)).toEqual([
    'ana clinic.updated',
    'ana clinic.updated',
    'jorge invite_code.revoked',
    'maria invite_code.created',
    'ana clinic.updated',
  ]);
  expect(all).toMatchObject({ total: 5, page: 1, limit: 50 });
  expect(all.actions[3]).toMatchObject({
    entity: 'invite_code',
    entityId: id,
    changes: [
      { field: 'days', to: '30' },
      { field: 'plan', to: 'pro' },
    ],
  });
  expect((await list({ page: 2, limit: 2 })).actions.map(({ operator }) => operator)).toEqual(['jorge', 'maria']);
  p.owners.identity.actions = { actions: [], total: 0 };
  p.owners.billing.actions = { actions: [], total: 0 };
  expect((await list({ operator: 'maria' })).actions).toMatchObject([{ action: 'invite_code.created' }]);
  expect((await list({ action: 'invite_code.revoked' })).total).toBe(1);
  expect((await list({ to: timestampFromDate(new Date('2001-01-01T00:00:00Z')) })).total).toBe(0);
  const [earlier, later] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'].map((at) => timestampFromDate(new Date(at)));
  await expect(list({ from: later, to: earlier })).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'to' }] });
  await expect(list({ page: 1_000, limit: 500 })).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
});

test('a metric shows the last backup and the last verification without faults', async () => {
  const seen = async () => Object.fromEntries((await commandSucceeded.get()).values.map(({ labels, value }) => [labels.command, value > 1_700_000_000]));
  const caller = serviceCaller('ops', randomUUID());
  const record = (action: 'backup.written' | 'audit_log.verified', changes: object) =>
    asSystem(p.service.db, (tx) => audit(tx, NO_CLINIC, caller, { action, entityId: 'all', changes: { ...changes } }));
  await waitFor(async () => (await commandSucceeded.get()).values.length === 2);
  expect(await seen()).toEqual({ backup: false, 'verify-audit': false });
  const watch = watchCommands({ db: p.service.db, log: createLog('platform', 'silent') }, 20);
  await record('audit_log.verified', { faults: 2 });
  await record('backup.written', { rows: 7 });
  await waitFor(async () => (await seen()).backup === true);
  expect(await seen()).toEqual({ backup: true, 'verify-audit': false });
  await record('audit_log.verified', { faults: 0 });
  await waitFor(async () => (await seen())['verify-audit'] === true);
  await watch.stop();
});
