// What operators change while the product runs, and the usage of clinics.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { monitorUrl } from '@clinic/lib/db/migrate.ts';
import { asAdmin, asOperator, asService, asUser } from '@clinic/lib/testing/callers.ts';
import { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import { OperationsService, UsageService } from '@clinic/proto/identity/v1/operations_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Identity, NOW, startIdentity } from '../testing/identity.ts';
import { usageJobs } from '../usage/jobs.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
beforeEach(() => i.clock.set(NOW));
afterAll(() => i.stop());

const operations = () => i.service.client(OperationsService);
const usage = () => i.service.client(UsageService);
const operator = asOperator('maria');
const gateway = asService('gateway');
const at = (minutes: number) => timestampFromDate(new Date(NOW.getTime() + minutes * 60_000));
const registered = async () => {
  const { clinic, user } = await i.register();
  return { clinicId: clinic?.id ?? '', userId: user?.id ?? '' };
};
const isReadOnly = async (clinicId: string) => (await i.access.resolveClinic({ clinicId }, gateway)).readOnly;
const audited = (clinicId: string) =>
  i.look('select action, actor_id, changes from audit_log where clinic_id = $1 and actor_kind = $2 order by id', [clinicId, 'operator']);

test('limits of a clinic change independently, 0 restores the default, and gateways get only clinics that differ from the defaults', async () => {
  const { clinicId } = await registered();
  const of = async () => (await i.access.getOperatingState({}, gateway)).clinics.find((one) => one.clinicId === clinicId);
  expect(await operations().getClinicLimits({ clinicId }, operator)).toMatchObject({ clinicId, readOnly: false });
  expect(await of()).toBeUndefined();
  await operations().updateClinicLimits({ clinicId, requestsPerMinute: 50 }, operator);
  await operations().updateClinicLimits({ clinicId, readOnly: true }, operator);
  expect(await of()).toMatchObject({ readOnly: true, requestsPerMinute: 50 });
  expect((await of())?.concurrentRequests).toBeUndefined();
  expect(await isReadOnly(clinicId)).toBe(true);
  await operations().updateClinicLimits({ clinicId, readOnly: false, requestsPerMinute: 0 }, operator);
  expect(await of()).toBeUndefined();
  expect(await isReadOnly(clinicId)).toBe(false);
  expect(await audited(clinicId)).toMatchObject([
    { action: 'clinic.limits_changed', actor_id: 'maria', changes: { requests_per_minute: { from: null, to: 50 } } },
    { changes: { read_only: { from: false, to: true } } },
    { changes: { requests_per_minute: { from: 50, to: null }, read_only: { from: true, to: false } } },
  ]);
  for (const [field, value] of [
    ['requestsPerMinute', -1],
    ['concurrentRequests', 1_001],
  ] as const)
    await expect(operations().updateClinicLimits({ clinicId, [field]: value }, operator)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  await expect(operations().updateClinicLimits({ clinicId: randomUUID() }, operator)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(operations().getClinicLimits({ clinicId }, asAdmin(clinicId))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
});

test('concurrent changes of different limits are all stored', async () => {
  const { clinicId } = await registered();
  await Promise.all([
    operations().updateClinicLimits({ clinicId, readOnly: true }, operator),
    operations().updateClinicLimits({ clinicId, requestsPerMinute: 7 }, operator),
    operations().updateClinicLimits({ clinicId, concurrentRequests: 3 }, operator),
  ]);
  expect(await operations().getClinicLimits({ clinicId }, operator)).toMatchObject({ readOnly: true, requestsPerMinute: 7, concurrentRequests: 3 });
  await operations().updateClinicLimits({ clinicId, readOnly: false, requestsPerMinute: 0, concurrentRequests: 0 }, operator);
});

test('maintenance begins and ends at its times, and can be ended earlier', async () => {
  const { clinicId } = await registered();
  const state = async () => (await i.access.getOperatingState({}, gateway)).maintenance;
  const planned = await operations().setMaintenance({ from: at(10), until: at(20), message: 'Mejoras' }, operator);
  expect(planned).toMatchObject({ active: false, message: 'Mejoras' });
  expect([await state(), await isReadOnly(clinicId)]).toEqual([undefined, false]);
  i.clock.advance(11 * 60_000);
  expect([await state(), await isReadOnly(clinicId)]).toEqual([expect.objectContaining({ active: true, message: 'Mejoras' }), true]);
  i.clock.advance(10 * 60_000);
  expect([await state(), await isReadOnly(clinicId)]).toEqual([undefined, false]);
  await expect(operations().getMaintenance({}, operator)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await operations().setMaintenance({}, operator);
  expect((await operations().getMaintenance({}, operator)).active).toBe(true);
  expect((await operations().endMaintenance({}, operator)).active).toBe(false);
  expect([await state(), await isReadOnly(clinicId)]).toEqual([undefined, false]);
  await expect(operations().endMaintenance({}, operator)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(operations().setMaintenance({ from: at(60), until: at(50) }, operator)).rejects.toMatchObject({ details: [{ path: 'until' }] });
  expect((await audited('00000000-0000-0000-0000-000000000000')).map(({ action }) => action)).toEqual([
    'maintenance.set',
    'maintenance.set',
    'maintenance.ended',
  ]);
});

test('users see current notices until they are deleted', async () => {
  const { clinicId, userId } = await registered();
  const shown = async () => (await i.sessions.getMe({}, asUser(clinicId, { userId }))).notices.map(({ message }) => message);
  const now = await operations().createNotice({ message: 'Ahora', severity: 'critical' }, operator);
  expect(now.severity).toBe('critical');
  await operations().createNotice({ message: 'Más tarde', from: at(5), until: at(10) }, operator);
  expect(await shown()).toEqual(['Ahora']);
  i.clock.advance(6 * 60_000);
  expect(await shown()).toEqual(['Más tarde', 'Ahora']);
  await operations().deleteNotice({ id: now.id }, operator);
  i.clock.advance(6 * 60_000);
  expect(await shown()).toEqual([]);
  expect(await operations().listNotices({}, operator)).toMatchObject({ total: 1, notices: [{ message: 'Más tarde', severity: 'info' }] });
  await expect(operations().deleteNotice({ id: now.id }, operator)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(operations().createNotice({ message: ' ' }, operator)).rejects.toMatchObject({ details: [{ path: 'message' }] });
  expect(timestampDate(now.from as never)).toEqual(NOW);
});

test('usage is added up by clinic and day; a repeated report counts once', async () => {
  const [one, other] = [await registered(), await registered()];
  const counted = (clinicId: string, day: string, requests: bigint, messages = 0n) => ({ clinicId, day, requests, messages, assistantTokens: 10n });
  const id = randomUUID();
  const report = {
    id,
    counted: [counted(one.clinicId, '2026-05-31', 2n), counted(one.clinicId, '2026-06-01', 3n, 4n), counted(other.clinicId, '2026-06-01', 900n)],
  };
  await Promise.all([i.service.client(UsageReportService).addUsage(report, gateway), i.service.client(UsageReportService).addUsage(report, gateway)]);
  await i.service
    .client(UsageReportService)
    .addUsage({ id: randomUUID(), counted: [counted(one.clinicId, '2026-06-01', 5n), counted(randomUUID(), '2026-06-01', 1n)] }, gateway);
  const use = await usage().getClinicUsage({ clinicId: one.clinicId }, operator);
  expect(use).toMatchObject({
    from: '2026-05-02',
    to: '2026-06-01',
    days: [
      { day: '2026-05-31', requests: 2n, messages: 0n, assistantTokens: 10n },
      { day: '2026-06-01', requests: 8n, messages: 4n, assistantTokens: 20n },
    ],
    total: { requests: 10n, messages: 4n, assistantTokens: 30n },
    storageBytes: 0n,
  });
  expect((await usage().getClinicUsage({ clinicId: one.clinicId, from: '2026-06-01', to: '2026-06-01' }, operator)).total?.requests).toBe(8n);
  const top = (by?: string) => usage().getTopUsage({ top: 1, ...(by && { by }) }, operator);
  expect((await top()).clinics).toMatchObject([{ clinicId: other.clinicId, requests: 900n }]);
  expect((await top('messages')).clinics).toMatchObject([{ clinicId: one.clinicId, messages: 4n }]);
  await expect(top('colour')).rejects.toMatchObject({ details: [{ path: 'by' }] });
  await expect(usage().getClinicUsage({ clinicId: randomUUID() }, operator)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(i.service.client(UsageReportService).addUsage(report, operator)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
});

test('stored bytes are reported by each service, measured in identity, and deleted when they are no longer reported', async () => {
  const { clinicId } = await registered();
  const runJob = (name: string) =>
    usageJobs({ db: i.service.db, clock: i.clock })
      .find((job) => job.name === name)
      ?.work({});
  const storage = async () => (await usage().getClinicUsage({ clinicId }, operator)).storageBytes;
  const report = (service: string, bytes: bigint) =>
    i.service.client(UsageReportService).reportStorage(
      {
        stored: [
          { clinicId, bytes },
          { clinicId: randomUUID(), bytes },
        ],
      },
      asService(service),
    );
  await report('scheduling', 100n);
  await report('dental', 30n);
  await report('scheduling', 70n);
  expect(await storage()).toBe(100n);
  const picture = 'insert into identity.pictures (clinic_id, id, content, content_type, created_at) values ($1, $2, $3, $4, now())';
  await i.look(picture, [clinicId, randomUUID(), Buffer.alloc(5), 'image/png']);
  await runJob('report-storage-of-identity');
  expect(await storage()).toBe(105n);
  expect((await usage().getTopUsage({ top: 1, by: 'storage_bytes' }, operator)).clinics).toMatchObject([{ clinicId, storageBytes: 105n }]);
  i.clock.advance(3 * 86_400_000);
  await report('dental', 30n);
  await runJob('purge-usage');
  expect(await storage()).toBe(30n);
});

test('the dashboard reads the usage of all clinics with the monitoring login, which can read nothing else of them', async () => {
  const { clinicId } = await registered();
  const counted = [{ clinicId, day: new Date().toISOString().slice(0, 10), requests: 7n, messages: 5_000n, assistantTokens: 0n }];
  await i.service.client(UsageReportService).addUsage({ id: randomUUID(), counted }, gateway);
  const monitor = new pg.Client({ connectionString: monitorUrl(i.service.database.ownerUrl) });
  await monitor.connect();
  try {
    const dashboard = readFileSync(path.join(import.meta.dirname, '../../../deploy/grafana/dashboards/clinic.json'), 'utf8');
    const { panels } = JSON.parse(dashboard) as { panels: { targets?: { rawSql?: string }[] }[] };
    const queries = panels.flatMap(({ targets = [] }) => targets.flatMap(({ rawSql = [] }) => rawSql));
    expect(queries).toHaveLength(2);
    const [table, days] = await Promise.all(
      queries.map(async (text) => {
        const filled = text.replaceAll(/\$__timeFilter\((\w+)\)/g, "$1 between '2020-01-01T00:00:00Z' and '2100-01-01T00:00:00Z'");
        return (await monitor.query(filled.replaceAll(/\$\{by:sqlstring\}/g, "'messages'"))).rows;
      }),
    );
    expect(table?.[0]).toMatchObject({ clinic_id: clinicId, requests: '7', messages: '5000', storage_bytes: '0' });
    expect(days).toContainEqual({ time: expect.any(Date), metric: expect.stringContaining(clinicId.slice(0, 8)), value: '5000' });
    for (const text of [
      'select phone from identity.clinics',
      'select * from identity.users',
      'select * from scheduling.patients',
      'delete from identity.clinic_usage',
    ])
      await expect(monitor.query(text)).rejects.toMatchObject({ code: '42501' });
  } finally {
    await monitor.end();
  }
});
