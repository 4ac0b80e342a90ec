// A clinic's own settings: whose fields are whose, who may change them, and what others hear.
import { randomUUID } from 'node:crypto';
import { asSystem } from '@clinic/lib/db.ts';
import { asAdmin, asAnonymous, asUser } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { type Identity, startIdentity } from '../testing/identity.ts';
import { setBotEnabled } from './clinic-settings.sql.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

const CHANNEL = {
  chatPhoneNumberId: '111',
  chatBusinessAccountId: '222',
  chatAccessToken: 'EAAGabcd****',
  chatVerifyToken: 'v',
  chatStatus: 'active',
  botEnabled: true,
};

beforeEach(() => {
  i.neighbours.asked.length = 0;
  i.neighbours.answers['messaging.getChannelSettings'] = () => CHANNEL;
  i.neighbours.answers['messaging.updateChannelSettings'] = (request: object) => ({ ...CHANNEL, ...request });
});

async function clinic(plan = 'clinica') {
  i.codes.plan = plan;
  const { clinic, user } = await i.register();
  const [id, userId] = [clinic?.id ?? '', user?.id ?? ''];
  return { id, admin: asAdmin(id, { userId }), reader: asUser(id) };
}

const events = async (clinicId: string) =>
  (await i.look(`select payload from outbox where clinic_id = $1 and subject like '%clinic-updated' order by id`, [clinicId])).map(({ payload }) => payload);

describe('settings', () => {
  test('are of one piece, for every user', async () => {
    const { id, reader } = await clinic();
    expect(await i.settings.getSettings({}, reader)).toMatchObject({
      id,
      name: 'Clínica Sonrisa',
      country: 'SV',
      timezone: 'America/El_Salvador',
      currency: 'USD',
      clinicType: 'dental',
      isActive: true,
      subscriptionPlan: 'clinica',
      ...CHANNEL,
    });
    expect(i.neighbours.asked).toMatchObject([{ rpc: 'messaging.getChannelSettings', call: { caller: { clinic: { id } } } }]);
  });

  test('a change tells its event and leaves a line without personal data', async () => {
    const { id, admin } = await clinic();
    const changed = await i.settings.updateSettings({ name: 'Otra', phone: '2222-0000', city: 'Apopa', timezone: 'America/Guatemala', currency: 'GTQ' }, admin);
    expect(changed).toMatchObject({ name: 'Otra', phone: '2222-0000', city: 'Apopa', timezone: 'America/Guatemala', currency: 'GTQ', chatStatus: 'active' });
    expect(await events(id)).toMatchObject([
      { timezone: 'America/Guatemala', currency: 'GTQ', country: 'SV', clinicType: 'dental', plan: 'clinica', revision: 2 },
    ]);
    expect(JSON.stringify(await events(id))).not.toMatch(/Otra|2222|Apopa/);
    const [line] = await i.look(`select changes from audit_log where clinic_id = $1 and action = 'update'`, [id]);
    expect(line.changes).toMatchObject({ phone: { from: null, to: '***' }, timezone: { from: 'America/El_Salvador', to: 'America/Guatemala' } });
    expect((await i.settings.updateSettings({ phone: '', city: '' }, admin)).phone).toBeUndefined();
  });

  test('a change that changes nothing leaves no trace', async () => {
    const { id, admin } = await clinic();
    await i.settings.updateSettings({ name: 'Clínica Sonrisa' }, admin);
    expect(await events(id)).toEqual([]);
  });

  test('chat fields are passed on, and only those that were given', async () => {
    const { admin } = await clinic();
    expect(await i.settings.updateSettings({ botEnabled: false, chatAccessToken: 'EAAG-new' }, admin)).toMatchObject({ botEnabled: false });
    await i.settings.updateChatConfig({ phoneNumberId: '333', accessToken: 'EAAG-other' }, admin);
    const passed = i.neighbours.asked.map(({ request: { $typeName, ...fields } }) => JSON.parse(JSON.stringify(fields)));
    expect(passed).toEqual([
      { botEnabled: false, chatAccessToken: 'EAAG-new' },
      { chatPhoneNumberId: '333', chatAccessToken: 'EAAG-other' },
    ]);
    expect(JSON.stringify(await i.look('select * from audit_log'))).not.toContain('EAAG');
  });

  test('what messaging refuses changes nothing here', async () => {
    const { id, admin } = await clinic();
    i.neighbours.answers['messaging.updateChannelSettings'] = () => {
      throw Object.assign(new Error('taken'), { code: '40001' });
    };
    await expect(i.settings.updateSettings({ name: 'Otra', chatPhoneNumberId: '999' }, admin)).rejects.toMatchObject({ reason: 'CONFLICT' });
    expect(await i.look('select name from clinics where clinic_id = $1', [id])).toEqual([{ name: 'Clínica Sonrisa' }]);
  });

  test.each([
    ['name', { name: ' ' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['currency', { currency: 'usd' }],
    ['currency', { currency: 'QQQ' }],
    ['address', { address: 'x'.repeat(501) }],
  ])('%s is refused by its name, and messaging is not asked: %j', async (path, changes) => {
    const { admin } = await clinic();
    await expect(i.settings.updateSettings({ ...changes, botEnabled: true }, admin)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
    await expect(i.settings.updateProfile(changes, admin)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
    expect(i.neighbours.asked).toEqual([]);
  });

  test('change for admins only', async () => {
    const { reader } = await clinic();
    const refused = { reason: 'FORBIDDEN' };
    await expect(i.settings.updateSettings({ name: 'X' }, reader)).rejects.toMatchObject(refused);
    await expect(i.settings.updateProfile({ name: 'X' }, reader)).rejects.toMatchObject(refused);
    await expect(i.settings.updateChatConfig({}, reader)).rejects.toMatchObject(refused);
    await expect(i.settings.removeLogo({}, reader)).rejects.toMatchObject(refused);
    await expect(i.entitlements.updateFeatures({ features: {} }, reader)).rejects.toMatchObject(refused);
  });

  test('racing changes of different fields all stay', async () => {
    const { id, admin } = await clinic();
    const changes = [{ name: 'Uno' }, { city: 'Apopa' }, { currency: 'EUR' }, { address: 'Calle 1' }];
    await i.race('clinics', id, () => changes.map((change) => i.settings.updateProfile(change, admin)));
    expect(await i.settings.getClinicInfo({}, admin)).toMatchObject({
      name: 'Uno',
      city: 'Apopa',
      currency: 'EUR',
      address: 'Calle 1',
      chatPhoneNumberId: '111',
    });
    expect((await events(id)).map(({ revision }) => revision).sort()).toEqual([2, 3, 4, 5]);
  });
});

test('a logo is PNG, served to who knows its address, and told to papers', async () => {
  const { admin } = await clinic();
  const content = await sharp({ create: { width: 1000, height: 500, channels: 4, background: '#0000' } })
    .webp()
    .toBuffer();
  const { logoUrl = '' } = await i.settings.setLogo({ content, contentType: 'image/webp' }, admin);
  const id = logoUrl.split('/api/clinics/logos/')[1] ?? '';
  const file = await i.settings.getLogo({ id }, asAnonymous());
  expect(file.contentType).toBe('image/png');
  expect(await sharp(file.content).metadata()).toMatchObject({ format: 'png', width: 512 });
  expect((await i.settings.removeLogo({}, admin)).logoUrl).toBeUndefined();
  await expect(i.settings.getLogo({ id }, asAnonymous())).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Logo not found' });
});

test("the operators' list tells of the bot what messaging said last", async () => {
  const { id } = await clinic();
  const say = (enabled: boolean, revision: number) => asSystem(i.service.db, (tx) => setBotEnabled(tx, id, enabled, revision));
  await say(true, 2);
  await say(false, 1);
  expect(await i.look('select bot_enabled from clinics where clinic_id = $1', [id])).toEqual([{ bot_enabled: true }]);
  await say(false, 3);
  expect(await i.look('select bot_enabled from clinics where clinic_id = $1', [id])).toEqual([{ bot_enabled: false }]);
});

describe('features', () => {
  test('are switched off and on again, which the next request sees', async () => {
    const { id, admin, reader } = await clinic('pro');
    const off = await i.entitlements.updateFeatures({ features: { analytics: false, dental: false } }, admin);
    expect([off.features.analytics, off.included.analytics, off.features.csv_export]).toEqual([false, true, true]);
    expect((await events(id)).at(-1).features).not.toContain('analytics');
    const on = await i.entitlements.updateFeatures({ features: { analytics: true } }, admin);
    expect(on.features).toMatchObject({ analytics: true, dental: false });
    expect(await i.entitlements.getFeatures({}, reader)).toEqual(on);
  });

  test('what the plan does not include is never on, and then nothing changes', async () => {
    const { id, admin } = await clinic('basic');
    await expect(i.entitlements.updateFeatures({ features: { reminders: false, dental: true } }, admin)).rejects.toMatchObject({
      reason: 'PLAN_UPGRADE_REQUIRED',
    });
    expect((await i.entitlements.getFeatures({}, admin)).features).toMatchObject({ reminders: true, dental: false });
    expect(await events(id)).toEqual([]);
    expect((await i.entitlements.updateFeatures({ features: { dental: false } }, admin)).features.dental).toBe(false);
  });

  test('an unknown one is refused', async () => {
    const { admin } = await clinic();
    await expect(i.entitlements.updateFeatures({ features: { teleport: true } }, admin)).rejects.toMatchObject({
      reason: 'VALIDATION_ERROR',
      details: [{ path: 'features' }],
    });
  });
});

describe('entitlements', () => {
  test('tell plan, limits, what is used of them, and the days left', async () => {
    const { reader, admin } = await clinic('pro');
    i.neighbours.answers['scheduling.listDoctors'] = () => ({ total: 3 });
    await i.users.createUser({ fullName: 'Carla', email: `${randomUUID()}@example.com`, password: 'una taza de café' }, admin);
    expect(await i.entitlements.getEntitlements({}, reader)).toMatchObject({
      plan: 'pro',
      daysLeft: 30,
      limits: { doctors: 8, users: 1 },
      usage: { doctors: 3, users: 1 },
      features: { analytics: true, quick_switching: false },
    });
  });

  test('forever_free has no end and no limits', async () => {
    const { reader } = await clinic('forever_free');
    const { daysLeft, expiresAt, limits } = await i.entitlements.getEntitlements({}, reader);
    expect([daysLeft, expiresAt, limits?.doctors, limits?.users]).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('the audit log', () => {
  const entry = (id: string, at: string, changed = {}) => ({
    id,
    at: { seconds: BigInt(Date.parse(at) / 1000), nanos: 0 },
    actorKind: 'user',
    actorId: randomUUID(),
    action: 'read_dui',
    entity: 'patient',
    entityId: 'p1',
    ip: '192.0.2.7',
    requestId: 'r1',
    changes: '',
    ...changed,
  });

  test('is one log of all services, newest first, with names and changes as text', async () => {
    const { admin, id } = await clinic();
    const [{ user_id: adminId }] = await i.look('select id as user_id from users where clinic_id = $1', [id]);
    i.neighbours.answers['scheduling.listAuditEntries'] = () => ({
      total: 2,
      entries: [
        entry('b', '2099-01-02T00:00:00Z', { actorId: adminId, changes: '{"status":{"from":"confirmed","to":"cancelled"},"phone":{"from":null,"to":"***"}}' }),
        entry('a', '2020-01-02T00:00:00Z', { actorId: adminId }),
      ],
    });
    i.neighbours.answers['dental.listAuditEntries'] = () => ({ total: 1, entries: [entry('c', '2099-01-01T00:00:00Z')] });
    await i.settings.updateProfile({ city: 'Apopa' }, admin);
    const { entries, total } = await i.auditLog.listAuditLog({ entity: '' }, admin);
    expect(entries.map(({ service, id: one }) => (one.length === 1 ? `${service} ${one}` : service))).toEqual([
      'scheduling b',
      'dental c',
      'identity',
      'identity',
      'scheduling a',
    ]);
    expect(total).toBe(5);
    expect(entries[0]).toMatchObject({
      actorName: 'Ana Rivas',
      ip: '192.0.2.7',
      changes: [
        { field: 'status', from: 'confirmed', to: 'cancelled' },
        { field: 'phone', to: '***' },
      ],
    });
    expect((await i.auditLog.listAuditLog({ page: 2, limit: 2 }, admin)).entries.map(({ service }) => service)).toEqual(['identity', 'identity']);
    const { content, nextCursor } = await i.auditLog.exportAuditLog({}, admin);
    expect(nextCursor).toBe('');
    const lines = Buffer.from(content).toString().trim().split('\r\n');
    expect(lines).toHaveLength(6);
    expect(lines[1]).toBe(
      `2099-01-02T00:00:00.000Z,scheduling,user,${adminId},Ana Rivas,read_dui,patient,p1,status: confirmed → cancelled; phone:  → ***,192.0.2.7,r1,b`,
    );
    delete i.neighbours.answers['scheduling.listAuditEntries'];
    delete i.neighbours.answers['dental.listAuditEntries'];
  });

  test('is reached to its end, by pages and as a file, however long it is', async () => {
    const { admin, id } = await clinic();
    const OLD = 6_500;
    await i.look(
      `insert into audit_log (clinic_id, id, at, actor_kind, actor_id, action, entity, entity_id, ip, request_id)
       select $1, gen_random_uuid(), timestamptz '2020-01-01' + n / 3 * interval '1 microsecond', 'service', 'tests', 'update', 'line', n::text, '', ''
       from generate_series(1, ${OLD}) n`,
      [id],
    );
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const answer: { entries: { entityId: string }[]; total: number; nextCursor?: string | undefined } = await i.auditLog.listAuditLog(
        { limit: 500, cursor },
        admin,
      );
      expect(answer.total).toBe(OLD + 1);
      seen.push(...answer.entries.map(({ entityId }) => entityId));
      cursor = answer.nextCursor;
    }
    expect([seen.length, new Set(seen).size, seen.at(-1)]).toEqual([OLD + 1, OLD + 1, expect.stringMatching(/^[12]$/)]);
    let file = '';
    for (let cursor = '', more = true; more; more = cursor !== '') {
      const page = await i.auditLog.exportAuditLog({ cursor }, admin);
      file += Buffer.from(page.content).toString();
      cursor = page.nextCursor;
    }
    expect(file.trim().split('\r\n')).toHaveLength(OLD + 2);
    await expect(i.auditLog.listAuditLog({ cursor: 'x' }, admin)).rejects.toMatchObject({ details: [{ path: 'cursor' }] });
  });

  test('filters by everything, in the own log', async () => {
    const { admin } = await clinic();
    const [[from]] = [[{ seconds: BigInt(Math.floor(Date.now() / 1000) + 3600), nanos: 0 }]];
    await i.settings.updateProfile({ city: 'Apopa' }, admin);
    const actions = async (filter: object) => (await i.auditLog.listAuditLog(filter, admin)).entries.map(({ action }) => action);
    expect(await actions({})).toEqual(['update', 'register']);
    expect(await actions({ action: 'update' })).toEqual(['update']);
    expect(await actions({ entity: 'patient' })).toEqual([]);
    expect(await actions({ actor: randomUUID() })).toEqual([]);
    expect(await actions({ from })).toEqual([]);
    expect(await actions({ to: from })).toHaveLength(2);
  });

  test('a service that is away is told, not left out', async () => {
    const { admin } = await clinic();
    i.neighbours.answers['billing.listAuditEntries'] = () => {
      throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    };
    await expect(i.auditLog.listAuditLog({}, admin)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    delete i.neighbours.answers['billing.listAuditEntries'];
  });

  test('admins only, and not further back than it says', async () => {
    const { admin, reader } = await clinic();
    await expect(i.auditLog.listAuditLog({}, reader)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    await expect(i.auditLog.exportAuditLog({}, reader)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    await expect(i.auditLog.listAuditLog({ page: 11, limit: 500 }, admin)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'page' }] });
  });

  test('its own rows are linked into a whole chain while it runs', async () => {
    const { verifyAudit } = await import('@clinic/lib/audit-verify.ts');
    const { id, admin } = await clinic();
    await i.settings.updateProfile({ city: 'Apopa' }, admin);
    await waitFor(async () => (await verifyAudit(i.service.db)).some(({ clinicId, pending, linked }) => clinicId === id && pending === 0 && linked === 2));
    expect((await verifyAudit(i.service.db)).find(({ clinicId }) => clinicId === id)?.faults).toEqual([]);
  });
});
