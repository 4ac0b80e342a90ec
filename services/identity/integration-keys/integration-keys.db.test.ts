// Integration keys: created once, resolved by their hash, revoked.
import { createHash } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asService } from '@clinic/lib/testing/callers.ts';
import { IntegrationKeyService } from '@clinic/proto/identity/v1/integration_key_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Identity, NOW, startIdentity } from '../testing/identity.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

const keys = () => i.service.client(IntegrationKeyService);
const resolve = async (key: string) => (await i.access.resolveKey({ keyHash: createHash('sha256').update(key).digest() }, asService('gateway'))).key;
const form = { name: 'Contabilidad', scopes: ['payments:read', 'appointments:read', 'payments:read'] };

test('a key is shown once, stored as a hash, and resolves to its clinic and scopes', async () => {
  const { id: clinicId, admin } = await i.clinic('pro');
  const { key, ...created } = await keys().createIntegrationKey(form, admin);
  expect(key).toMatch(/^ck_[\w-]{43}$/);
  expect(created).toMatchObject({ name: 'Contabilidad', prefix: key.slice(0, 7), scopes: ['appointments:read', 'payments:read'], clinicId });
  const stored = await i.look('select * from integration_keys where id = $1', [created.id]);
  expect(JSON.stringify(stored)).not.toContain(key.slice(7));
  expect(await resolve(key)).toMatchObject({
    id: created.id,
    clinicId,
    scopes: created.scopes,
    state: { userActive: true, appRole: 'integration_key', clinicActive: true, plan: 'pro', mfaMissing: false },
  });
  expect(await resolve(`${key}x`)).toBeUndefined();
});

test('the name of a key is stored on one line', async () => {
  const { admin } = await i.clinic('pro');
  expect((await keys().createIntegrationKey({ ...form, name: ' Conta\r\nbilidad ' }, admin)).name).toBe('Conta bilidad');
});

test('the last use is stored at most once a minute', async () => {
  const { admin } = await i.clinic();
  const { key } = await keys().createIntegrationKey(form, admin);
  const lastUse = async () => (await keys().listIntegrationKeys({ page: 1, limit: 50 }, admin)).keys[0]?.lastUsedAt;
  expect(await lastUse()).toBeUndefined();
  for (const [after, shown] of [
    [0, 0],
    [59_000, 0],
    [1_000, 60_000],
  ] as const) {
    i.clock.advance(after);
    await resolve(key);
    expect(await lastUse()).toEqual(timestampFromDate(new Date(NOW.getTime() + shown)));
  }
  i.clock.set(NOW);
});

test('revoked and expired keys are unknown, and the name of a revoked key can be used again', async () => {
  const { admin, reader } = await i.clinic();
  const one = await keys().createIntegrationKey({ ...form, expiresAt: timestampFromDate(new Date(NOW.getTime() + 1_000)) }, admin);
  await expect(keys().createIntegrationKey({ ...form, name: 'CONTABILIDAD' }, admin)).rejects.toMatchObject({ reason: 'KEY_EXISTS' });
  expect(await resolve(one.key)).toBeDefined();
  i.clock.advance(1_000);
  expect(await resolve(one.key)).toBeUndefined();
  i.clock.set(NOW);
  const other = await i.clinic();
  await expect(keys().deleteIntegrationKey({ id: one.id }, other.admin)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(keys().deleteIntegrationKey({ id: one.id }, reader)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  await keys().deleteIntegrationKey({ id: one.id }, admin);
  expect(await resolve(one.key)).toBeUndefined();
  await expect(keys().deleteIntegrationKey({ id: one.id }, admin)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await keys().createIntegrationKey(form, admin);
  expect(await keys().listIntegrationKeys({ page: 1, limit: 50 }, admin)).toMatchObject({ total: 1, keys: [{ name: 'Contabilidad' }] });
});

test('a new key replaces an expired one with its name', async () => {
  const { admin } = await i.clinic();
  const expiresAt = timestampFromDate(new Date(NOW.getTime() + 1_000));
  const { id } = await keys().createIntegrationKey({ ...form, expiresAt }, admin);
  i.clock.advance(1_000);
  const created = await keys().createIntegrationKey({ ...form, name: 'CONTABILIDAD' }, admin);
  expect(await keys().listIntegrationKeys({ page: 1, limit: 50 }, admin)).toMatchObject({ total: 1, keys: [{ id: created.id }] });
  const revoked = "select entity_id from audit_log where clinic_id = $1 and action = 'integration_key.revoked'";
  expect(await i.look(revoked, [created.clinicId])).toEqual([{ entity_id: id }]);
  i.clock.set(NOW);
});

test.each([
  [{ scopes: [] }, 'scopes'],
  [{ scopes: ['users:write'] }, 'scopes.0'],
  [{ name: ' ' }, 'name'],
  [{ expiresAt: timestampFromDate(NOW) }, 'expiresAt'],
])('%j is refused', async (changed, path) => {
  const { admin } = await i.clinic();
  await expect(keys().createIntegrationKey({ ...form, ...changed }, admin)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
});
