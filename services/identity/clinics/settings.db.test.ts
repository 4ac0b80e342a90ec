// Settings of a clinic: fields of identity and messaging, access, and events.
import { asSystem } from '@clinic/lib/db/db.ts';
import { asAnonymous } from '@clinic/lib/testing/callers.ts';
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
  i.dependencies.calls.length = 0;
  i.dependencies.answers['messaging.getChannelSettings'] = () => CHANNEL;
  i.dependencies.answers['messaging.updateChannelSettings'] = (request: object) => ({ ...CHANNEL, ...request });
});

describe('settings', () => {
  test('contain the fields of identity and messaging, for every user', async () => {
    const { id, reader } = await i.clinic();
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
    expect(i.dependencies.calls).toMatchObject([{ rpc: 'messaging.getChannelSettings', call: { caller: { clinic: { id } } } }]);
  });

  test('a change publishes an event and an audit entry without personal data', async () => {
    const { id, admin } = await i.clinic();
    const changed = await i.settings.updateSettings({ name: 'Otra', phone: '2222-0000', city: 'Apopa', timezone: 'America/Guatemala', currency: 'GTQ' }, admin);
    expect(changed).toMatchObject({ name: 'Otra', phone: '2222-0000', city: 'Apopa', timezone: 'America/Guatemala', currency: 'GTQ', chatStatus: 'active' });
    expect(await i.clinicUpdates(id)).toMatchObject([
      { timezone: 'America/Guatemala', currency: 'GTQ', country: 'SV', clinicType: 'dental', plan: 'clinica', revision: 2 },
    ]);
    expect(JSON.stringify(await i.clinicUpdates(id))).not.toMatch(/Otra|2222-0000|Apopa/);
    const [line] = await i.look(`select changes from audit_log where clinic_id = $1 and action = 'clinic.updated'`, [id]);
    expect(line.changes).toMatchObject({ phone: { from: null, to: '***' }, timezone: { from: 'America/El_Salvador', to: 'America/Guatemala' } });
    expect((await i.settings.updateSettings({ phone: '', city: '' }, admin)).phone).toBeUndefined();
    const policy = { cancellationNoticeHours: 24, cancellationText: 'Avise un día antes', bookingNoShowLimit: 3 };
    expect(await i.settings.updateSettings(policy, admin)).toMatchObject(policy);
    expect((await i.clinicUpdates(id)).at(-1)).toMatchObject(policy);
  });

  test('a request that changes nothing publishes nothing', async () => {
    const { id, admin } = await i.clinic();
    await i.settings.updateSettings({ name: 'Clínica Sonrisa' }, admin);
    expect(await i.clinicUpdates(id)).toEqual([]);
  });

  test('a time zone is stored with its official spelling', async () => {
    const { admin } = await i.clinic();
    for (const [sent, stored] of [
      ['america/guatemala', 'America/Guatemala'],
      ['ASIA/KOLKATA', 'Asia/Kolkata'],
    ])
      expect((await i.settings.updateSettings({ timezone: sent }, admin)).timezone).toBe(stored);
  });

  test('only the given chat fields are passed on to messaging', async () => {
    const { admin } = await i.clinic();
    expect(await i.settings.updateSettings({ botEnabled: false, chatAccessToken: 'EAAG-new' }, admin)).toMatchObject({ botEnabled: false });
    await i.settings.updateChatConfig({ phoneNumberId: '333', accessToken: 'EAAG-other' }, admin);
    const passed = i.dependencies.calls.map(({ request: { $typeName, ...fields } }) => JSON.parse(JSON.stringify(fields)));
    expect(passed).toEqual([
      { botEnabled: false, chatAccessToken: 'EAAG-new' },
      { chatPhoneNumberId: '333', chatAccessToken: 'EAAG-other' },
    ]);
    expect(JSON.stringify(await i.look('select * from audit_log'))).not.toContain('EAAG');
  });

  test('if messaging refuses a change, nothing is changed', async () => {
    const { id, admin } = await i.clinic();
    i.dependencies.answers['messaging.updateChannelSettings'] = () => {
      throw Object.assign(new Error('taken'), { code: '40001' });
    };
    await expect(i.settings.updateSettings({ name: 'Otra', chatPhoneNumberId: '999' }, admin)).rejects.toMatchObject({ reason: 'CONFLICT' });
    expect(await i.look('select name from clinics where clinic_id = $1', [id])).toEqual([{ name: 'Clínica Sonrisa' }]);
  });

  test.each([
    ['name', { name: ' ' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['timezone', { timezone: 'US/Pacific-New' }], // known to the runtime and not to PostgreSQL
    ['currency', { currency: 'usd' }],
    ['currency', { currency: 'QQQ' }],
    ['address', { address: 'x'.repeat(501) }],
    ['phone', { phone: 'no phone' }],
    ['phone', { phone: '2222-0000 / 7000-1234' }],
    ['phone', { phone: '<b>2222-0000</b>' }],
  ])('an invalid %s is refused by name without a call to messaging: %j', async (path, changes) => {
    const { admin } = await i.clinic();
    await expect(i.settings.updateSettings({ ...changes, botEnabled: true }, admin)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
    await expect(i.settings.updateProfile(changes, admin)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
    expect(i.dependencies.calls).toEqual([]);
  });

  test('only admins may change them', async () => {
    const { reader } = await i.clinic();
    const refused = { reason: 'FORBIDDEN' };
    await expect(i.settings.updateSettings({ name: 'X' }, reader)).rejects.toMatchObject(refused);
    await expect(i.settings.updateProfile({ name: 'X' }, reader)).rejects.toMatchObject(refused);
    await expect(i.settings.updateChatConfig({}, reader)).rejects.toMatchObject(refused);
    await expect(i.settings.removeLogo({}, reader)).rejects.toMatchObject(refused);
    await expect(i.entitlements.updateFeatures({ features: {} }, reader)).rejects.toMatchObject(refused);
  });

  test('concurrent changes of different fields are all stored', async () => {
    const { id, admin } = await i.clinic();
    const changes = [{ name: 'Uno' }, { city: 'Apopa' }, { currency: 'EUR' }, { address: 'Calle 1' }];
    await i.race('clinics', id, () => changes.map((change) => i.settings.updateProfile(change, admin)));
    expect(await i.settings.getClinicInfo({}, admin)).toMatchObject({
      name: 'Uno',
      city: 'Apopa',
      currency: 'EUR',
      address: 'Calle 1',
      chatPhoneNumberId: '111',
    });
    expect((await i.clinicUpdates(id)).map(({ revision }) => revision).sort()).toEqual([2, 3, 4, 5]);
  });
});

test('a logo is PNG, served to everyone who knows its URL, and returned for documents', async () => {
  const { id: clinicId, admin } = await i.clinic();
  const content = await sharp({ create: { width: 1000, height: 500, channels: 4, background: '#0000' } })
    .webp()
    .toBuffer();
  const { logoUrl = '' } = await i.settings.setLogo({ content, contentType: 'image/webp' }, admin);
  const id = logoUrl.split('/api/clinics/logos/')[1] ?? '';
  const file = await i.settings.getLogo({ id }, asAnonymous());
  expect(file.contentType).toBe('image/png');
  expect(await sharp(file.content).metadata()).toMatchObject({ format: 'png', width: 512 });
  for (const _repeated of [1, 2]) expect((await i.settings.removeLogo({}, admin)).logoUrl).toBeUndefined();
  expect(await i.look("select from audit_log where clinic_id = $1 and action = 'clinic.logo_removed'", [clinicId])).toHaveLength(1);
  await expect(i.settings.getLogo({ id }, asAnonymous())).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Logo not found' });
});

test("the operators' list shows the newest state of the bot", async () => {
  const { id } = await i.clinic();
  const setBot = (enabled: boolean, revision: number) => asSystem(i.service.db, (tx) => setBotEnabled(tx, id, enabled, revision));
  await setBot(true, 2);
  await setBot(false, 1);
  expect(await i.look('select bot_enabled from clinics where clinic_id = $1', [id])).toEqual([{ bot_enabled: true }]);
  await setBot(false, 3);
  expect(await i.look('select bot_enabled from clinics where clinic_id = $1', [id])).toEqual([{ bot_enabled: false }]);
});
