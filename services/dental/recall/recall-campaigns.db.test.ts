// Recall campaigns: defaults, validation, changes, isolation of clinics.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Recall, startRecall } from '../testing/recall-clinic.ts';

let r: Recall;
let clinicId: string;
beforeAll(async () => {
  r = await startRecall();
});
afterAll(() => r.stop());
beforeEach(() => {
  clinicId = randomUUID();
});

const user = () => r.asUser(clinicId);

test('a campaign has the defaults of the specification', async () => {
  const made = await r.campaign(clinicId);
  expect(made).toMatchObject({
    clinicId,
    name: 'Limpieza',
    recallIntervalDays: 180,
    sendTime: '09:00:00',
    maxAttempts: 2,
    retryIntervalDays: 7,
    isActive: true,
  });
  expect(made.procedureType).toBeUndefined();
  expect((await r.recall.listRecallCampaigns({}, user())).campaigns).toEqual([made]);
  expect(await r.recall.getRecallCampaign({ id: made.id }, user())).toMatchObject({ id: made.id, recentContacts: [] });
});

describe('a message', () => {
  test.each(['{nombre} {clinica} {procedimiento} {ultima_visita}', 'Sin variables', '{nombre}{nombre}'])('%s is accepted', async (messageTemplate) => {
    expect(await r.campaign(clinicId, { messageTemplate })).toMatchObject({ messageTemplate });
  });
  test.each(['Hola {telefono}', '{Nombre}', '{ nombre }', '{}', 'Hola {nombre', 'Hola nombre}', '{{nombre}}', '{nombre} {constructor}'])(
    '%s is rejected',
    async (messageTemplate) => {
      await expect(r.campaign(clinicId, { messageTemplate })).rejects.toMatchObject({ reason: 'INVALID_TEMPLATE_VARS' });
      const { id } = await r.campaign(clinicId);
      for (const wanted of [id, randomUUID()])
        await expect(r.recall.updateRecallCampaign({ id: wanted, messageTemplate }, user())).rejects.toMatchObject({ reason: 'INVALID_TEMPLATE_VARS' });
    },
  );
});

test.each<[string, object]>([
  ['name', { name: ' ' }],
  ['message_template', { messageTemplate: '' }],
  ['recall_interval_days', { recallIntervalDays: 0 }],
  ['send_time', { sendTime: '25:00:00' }],
  ['max_attempts', { maxAttempts: 6 }],
  ['max_attempts', { maxAttempts: 0 }],
  ['retry_interval_days', { retryIntervalDays: 0 }],
])('%s has limits', async (path, given) => {
  await expect(r.campaign(clinicId, given)).rejects.toMatchObject({ details: [{ path }] });
});

describe('the send time', () => {
  const refused = { reason: 'VALIDATION_ERROR', details: [{ path: 'send_time' }] };
  test.each(['21:00:00', '23:30:00', '06:59:00'])('%s is refused in the quiet hours, 21:00 to 07:00', async (sendTime) => {
    await expect(r.campaign(clinicId, { sendTime })).rejects.toMatchObject(refused);
    const { id } = await r.campaign(clinicId);
    await expect(r.recall.updateRecallCampaign({ id, sendTime }, user())).rejects.toMatchObject(refused);
    expect((await r.recall.getRecallCampaign({ id }, user())).sendTime).toBe('09:00:00');
  });

  test('may be at the ends of the quiet hours, and at any time of a clinic without them', async () => {
    for (const sendTime of ['07:00:00', '20:59:00']) expect((await r.campaign(clinicId, { sendTime })).sendTime).toBe(sendTime);
    Object.assign(r.quietHours, { quietFrom: '00:00', quietUntil: '00:00' });
    expect((await r.campaign(clinicId, { sendTime: '23:30:00' })).sendTime).toBe('23:30:00');
    Object.assign(r.quietHours, { quietFrom: '21:00', quietUntil: '07:00' });
  });

  test('may be given without seconds, and sent back with or without them is no change, even if the quiet hours contain it since', async () => {
    const made = await r.campaign(clinicId, { sendTime: '09:30' });
    expect(made.sendTime).toBe('09:30:00');
    r.clock.advance(60_000);
    Object.assign(r.quietHours, { quietFrom: '09:00', quietUntil: '10:00' });
    for (const sendTime of ['09:30', '09:30:00']) expect(await r.recall.updateRecallCampaign({ id: made.id, sendTime }, user())).toEqual(made);
    await expect(r.recall.updateRecallCampaign({ id: made.id, sendTime: '09:31' }, user())).rejects.toMatchObject(refused);
    Object.assign(r.quietHours, { quietFrom: '21:00', quietUntil: '07:00' });
    await expect(r.recall.updateRecallCampaign({ id: made.id, sendTime: '9:30' }, user())).rejects.toThrow('send_time: must be HH:MM or HH:MM:SS');
  });

  test('is in UTC-6, the quiet hours are in the time zone of the clinic', async () => {
    const inMadrid = r.asUser(clinicId, { clinic: { timezone: 'Europe/Madrid' } });
    const campaign = { name: 'Control', messageTemplate: 'Hola' };
    await expect(r.recall.createRecallCampaign({ ...campaign, sendTime: '14:00:00' }, inMadrid)).rejects.toMatchObject({
      message: 'send_time: must be outside the quiet hours of the clinic, 21:00 to 07:00; it is 22:00 there',
    });
    expect((await r.recall.createRecallCampaign({ ...campaign, sendTime: '02:00:00' }, inMadrid)).sendTime).toBe('02:00:00');
  });
});

test('a change keeps absent fields, an empty change is rejected, and a deactivated campaign remains stored', async () => {
  const { id } = await r.campaign(clinicId, { procedureType: 'Limpieza' });
  const changed = await r.recall.updateRecallCampaign({ id, maxAttempts: 3, procedureType: '' }, user());
  expect(changed).toMatchObject({ name: 'Limpieza', maxAttempts: 3, recallIntervalDays: 180 });
  expect(changed.procedureType).toBeUndefined();
  await expect(r.recall.updateRecallCampaign({ id }, user())).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  expect(await r.recall.deleteRecallCampaign({ id }, user())).toMatchObject({ id, isActive: false });
  expect((await r.recall.listRecallCampaigns({}, user())).campaigns).toHaveLength(1);
  expect(await r.recall.updateRecallCampaign({ id, isActive: true }, user())).toMatchObject({ isActive: true });
});

test('a campaign of another clinic is not found', async () => {
  const { id } = await r.campaign(clinicId);
  const otherClinic = r.asUser(randomUUID());
  const missing = { reason: 'NOT_FOUND', message: 'Campaign not found' };
  for (const named of [{ id }, { id: randomUUID() }, { id: 'none' }]) {
    await expect(r.recall.getRecallCampaign(named, otherClinic)).rejects.toMatchObject(missing);
    await expect(r.recall.updateRecallCampaign({ ...named, name: 'Mía' }, otherClinic)).rejects.toMatchObject(missing);
    await expect(r.recall.deleteRecallCampaign(named, otherClinic)).rejects.toMatchObject(missing);
    await expect(r.recall.listRecallContacts(named, otherClinic)).rejects.toMatchObject(missing);
    await expect(r.recall.listRecallEligible(named, otherClinic)).rejects.toMatchObject(missing);
  }
  expect((await r.recall.listRecallCampaigns({}, otherClinic)).campaigns).toEqual([]);
  await expect(r.recall.listRecallContacts({ id, limit: 101 }, user())).rejects.toMatchObject({ details: [{ path: 'limit' }] });
});
