// Messages of a number belong to the clinic whose token could read it at the provider. A clinic that only enters a number receives nothing and
// blocks no other clinic.
import { randomUUID } from 'node:crypto';
import { inTenant } from '@clinic/lib/db/db.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { asAdmin, asOperator, asUser } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { delivery, type Messaging, startMessaging } from '../testing/messaging.ts';

let m: Messaging;
beforeAll(async () => {
  m = await startMessaging();
});
beforeEach(() => m.provider.forget());
afterAll(() => m.stop());

const PATIENT = '50370005555';
const freshNumber = () => `pn-${randomUUID()}`;
const claim = (clinicId: string, numberId: string, token = `EAAG-${randomUUID()}`) =>
  m.channels.updateChannelSettings({ chatPhoneNumberId: numberId, chatAccessToken: token }, asAdmin(clinicId));
const statusOf = (clinicId: string) => m.channels.getChannelStatus({}, asAdmin(clinicId));
const becomes = (clinicId: string, status: string) => waitFor(async () => (await statusOf(clinicId)).status === status);
const eventsOf = async (numberId: string, status: string) =>
  (await m.events.listChatEvents({ status, limit: 500 }, asOperator())).events.filter(({ detail }) => detail.includes(numberId));
const confirmNow = async (clinicId: string) => {
  await m.look("update channels set retry_at = now() where clinic_id = $1 and status = 'verifying'", [clinicId]);
  await inTenant(m.service.db, clinicId, (tx) => enqueue(tx, 'finish-bindings', {}));
};
const no = () => m.provider.refusal(400, 100, 'Unsupported get request: missing permissions');

/** The messages that a clinic has received from the patient, the oldest first; undefined if there is no conversation. */
async function textsOf(clinicId: string): Promise<string[] | undefined> {
  const { conversations } = await m.conversations.listConversations({}, asUser(clinicId));
  if (conversations.length === 0) return undefined;
  const { messages } = await m.conversations.listMessages({ phone: `+${PATIENT}`, limit: 500 }, asUser(clinicId));
  return messages.map(({ text = '' }) => text).reverse();
}

async function deliver(numberId: string, text: string): Promise<void> {
  await m.deliver(delivery(numberId, PATIENT, { text }));
  await m.settled();
}

/** A clinic that has proven the number. */
async function owner(numberId: string): Promise<string> {
  const id = randomUUID();
  await claim(id, numberId);
  await becomes(id, 'active');
  return id;
}

describe('a claim that the provider does not confirm', () => {
  test('receives no messages, and the clinic that has proven the number still does', async () => {
    const number = freshNumber();
    const [one, other] = [await owner(number), randomUUID()];
    m.provider.next(`/${number}`, no());
    expect(await claim(other, number)).toMatchObject({ chatStatus: 'verifying', chatPhoneNumberId: number });
    await deliver(number, 'while it is checked');
    await becomes(other, 'failed');
    await deliver(number, 'after the refusal');
    expect(await textsOf(one)).toEqual(['while it is checked', 'after the refusal']);
    expect(await textsOf(other)).toBeUndefined();
    expect((await statusOf(one)).status).toBe('active');
  });

  test('does not prevent the owner from connecting the number afterwards', async () => {
    const number = freshNumber();
    const other = randomUUID();
    m.provider.next(`/${number}`, no());
    await claim(other, number);
    await becomes(other, 'failed');
    const one = await owner(number);
    await deliver(number, 'Hola');
    expect(await textsOf(one)).toEqual(['Hola']);
    expect(await textsOf(other)).toBeUndefined();
  });

  test('is confirmed at once when it is saved again', async () => {
    const number = freshNumber();
    const id = randomUUID();
    m.provider.next(`/${number}`, no());
    await claim(id, number, 'EAAG-the-same-token');
    await becomes(id, 'failed');
    expect(await claim(id, number, 'EAAG-the-same-token')).toMatchObject({ chatStatus: 'verifying' });
    await becomes(id, 'active');
  });
});

describe('deliveries for a number that is claimed and not proven', () => {
  test('wait, and are processed once and in order when the provider confirms the number late', async () => {
    const number = freshNumber();
    const id = randomUUID();
    m.provider.next(`/${number}`, m.provider.refusal(500, 2, 'later'));
    await claim(id, number);
    await waitFor(async () => /will be retried/.test((await statusOf(id)).detail));
    const sent = Array.from({ length: 5 }, (_, index) => `message ${index}`);
    for (const text of sent) await deliver(number, text);
    const repeated = delivery(number, PATIENT, { id: `wamid.${number}`, text: 'repeated' });
    for (const _ of [1, 2]) await m.deliver(repeated);
    await m.settled();
    expect(await textsOf(id)).toBeUndefined();
    expect(await eventsOf(number, 'unproven_number')).toHaveLength(7);
    await confirmNow(id);
    await becomes(id, 'active');
    await deliver(number, 'afterwards');
    expect(await textsOf(id)).toEqual([...sent, 'repeated', 'afterwards']);
    expect(await eventsOf(number, 'unproven_number')).toEqual([]);
  });

  test('are unusable after 7 days, and operators can replay them', async () => {
    const number = freshNumber();
    const id = randomUUID();
    m.provider.next(`/${number}`, no());
    await claim(id, number);
    await becomes(id, 'failed');
    await deliver(number, 'old');
    await deliver(number, 'recent');
    const [recent, old] = await eventsOf(number, 'unproven_number');
    const age = (eventId: string | undefined, days: number) =>
      m.look("update chat_events set received_at = now() - interval '1 minute' - $2 * interval '1 day' where id = $1", [eventId, days]);
    await age(old?.id, 7);
    await age(recent?.id, 6);
    await inTenant(m.service.db, id, (tx) => enqueue(tx, 'set-aside-deliveries', {}));
    const [aside] = await waitFor(async () => {
      const found = await eventsOf(number, 'unusable');
      return found.length > 0 && found;
    });
    expect(aside).toMatchObject({ id: old?.id, detail: expect.stringContaining('7 days') });
    expect((await eventsOf(number, 'unproven_number')).map((event) => event.id)).toEqual([recent?.id]);
    await claim(id, number);
    await becomes(id, 'active');
    await m.settled();
    expect(await textsOf(id)).toEqual(['recent']);
    await m.events.replayChatEvent({ id: old?.id ?? '' }, asOperator());
    await m.settled();
    expect(await textsOf(id)).toEqual(['recent', 'old']);
  });

  test('and for a proven number: messages of the proven number are processed, the others wait', async () => {
    const [known, claimed] = [freshNumber(), freshNumber()];
    const [one, other] = [await owner(known), randomUUID()];
    m.provider.next(`/${claimed}`, no());
    await claim(other, claimed);
    await becomes(other, 'failed');
    const [first, second] = [delivery(known, PATIENT, { text: 'known' }), delivery(claimed, PATIENT, { text: 'claimed' })];
    await m.deliver({ ...first, entry: [...first.entry, ...second.entry] });
    await m.settled();
    expect(await textsOf(one)).toEqual(['known']);
    expect(await eventsOf(claimed, 'unproven_number')).toHaveLength(1);
    await claim(other, claimed);
    await becomes(other, 'active');
    await m.settled();
    expect([await textsOf(one), await textsOf(other)]).toEqual([['known'], ['claimed']]);
  });
});

describe('a proof', () => {
  test('remains valid through later failures: the number still receives', async () => {
    const number = freshNumber();
    const id = await owner(number);
    m.provider.next(`/${number}`, m.provider.refusal(401, 190, 'Invalid OAuth access token'));
    await claim(id, number);
    await becomes(id, 'failed');
    await deliver(number, 'Hola');
    expect(await textsOf(id)).toEqual(['Hola']);
  });

  test('does not depend on the calls after it', async () => {
    const number = freshNumber();
    const id = randomUUID();
    m.provider.next('/waba-of-nobody/subscribed_apps', no());
    const given = { chatPhoneNumberId: number, chatBusinessAccountId: 'waba-of-nobody', chatAccessToken: 'EAAG-token' };
    await m.channels.updateChannelSettings(given, asAdmin(id));
    await becomes(id, 'failed');
    await deliver(number, 'Hola');
    expect(await textsOf(id)).toEqual(['Hola']);
  });

  test('of the old number remains valid until the new one is proven', async () => {
    const [old, next] = [freshNumber(), freshNumber()];
    const id = await owner(old);
    m.provider.next(`/${next}`, no());
    await claim(id, next);
    await becomes(id, 'failed');
    await deliver(old, 'to the old number');
    expect(await textsOf(id)).toEqual(['to the old number']);
    await claim(id, next);
    await becomes(id, 'active');
    await deliver(next, 'to the new number');
    await deliver(old, 'too late');
    expect(await textsOf(id)).toEqual(['to the old number', 'to the new number']);
    expect(await eventsOf(old, 'unknown_number')).toHaveLength(1);
  });

  test('ends when the clinic disconnects', async () => {
    const number = freshNumber();
    const id = await owner(number);
    await m.channels.disconnectChannel({}, asAdmin(id));
    await deliver(number, 'Hola');
    expect(await textsOf(id)).toBeUndefined();
    expect(await eventsOf(number, 'unknown_number')).toHaveLength(1);
  });

  test('with a token that was replaced meanwhile does not count for the new token', async () => {
    const number = freshNumber();
    const id = randomUUID();
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const { promise: answer, resolve: release } = Promise.withResolvers<void>();
    const wait = () => {
      resolve();
      return answer;
    };
    m.provider.next(`/${number}`, { wait }, no());
    await claim(id, number, 'EAAG-first-token');
    await asked;
    await claim(id, number, 'EAAG-second-token');
    release();
    await becomes(id, 'failed');
    await deliver(number, 'Hola');
    expect(await textsOf(id)).toBeUndefined();
  });
});

describe('two clinics', () => {
  const people = (clinicId: string) => [
    { id: randomUUID(), fullName: 'Ana', email: `ana@${clinicId}.example`, appRole: 'admin', isActive: true },
    { id: randomUUID(), fullName: 'Eva', email: `eva@${clinicId}.example`, appRole: 'admin', isActive: false },
    { id: randomUUID(), fullName: 'Luis', email: `luis@${clinicId}.example`, appRole: 'receptionist', isActive: true },
  ];

  test('when a number moves, the latest proof wins and the admins of both clinics get one mail', async () => {
    const asked: string[] = [];
    m.answers.listUsers = (_request, call) => {
      const clinicId = call.caller.clinic?.id ?? '';
      asked.push(clinicId);
      const users = people(clinicId);
      return { users, total: users.length };
    };
    const number = freshNumber();
    const one = await owner(number);
    await deliver(number, 'to the first');
    const other = await owner(number);
    await deliver(number, 'to the second');
    expect([await textsOf(one), await textsOf(other)]).toEqual([['to the first'], ['to the second']]);
    expect(await statusOf(one)).toMatchObject({ status: 'failed', detail: expect.stringMatching(/another clinic/i) });
    const mails = async () => (await m.look("select kind from mails where kind like 'chat_number_%' order by kind")).map(({ kind }) => kind);
    await waitFor(async () => (await mails()).length === 2);
    expect(await mails()).toEqual(['chat_number_gained', 'chat_number_lost']);
    expect(asked.sort()).toEqual([one, other].sort());
    // The first clinic proves the number again, and again the latest proof wins.
    await claim(one, number);
    await becomes(one, 'active');
    await deliver(number, 'to the first again');
    expect([await textsOf(one), await textsOf(other)]).toEqual([['to the first', 'to the first again'], ['to the second']]);
    await waitFor(async () => (await mails()).length === 4);
  });

  test('a confirmation that is older than the proof of another clinic does not take the number from it', async () => {
    const number = freshNumber();
    const [slow, other] = [randomUUID(), randomUUID()];
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const { promise: answer, resolve: release } = Promise.withResolvers<void>();
    const wait = () => {
      resolve();
      return answer;
    };
    m.provider.next(`/${number}`, { wait });
    await claim(slow, number);
    await asked;
    await claim(other, number);
    expect(await m.channels.verifyChannelOtp({ code: '123456' }, asAdmin(other))).toMatchObject({ status: 'active' });
    m.provider.next(`/${number}`, no());
    release();
    await becomes(slow, 'failed');
    expect((await statusOf(other)).status).toBe('active');
    await deliver(number, 'Hola');
    expect([await textsOf(slow), await textsOf(other)]).toEqual([undefined, ['Hola']]);
  });

  test('that prove the same number concurrently: exactly one has it in the end', async () => {
    for (let round = 0; round < 3; round++) {
      const number = freshNumber();
      const clinics = [randomUUID(), randomUUID(), randomUUID()];
      for (const id of clinics) await claim(id, number);
      await Promise.all(clinics.map((id) => m.channels.verifyChannelOtp({ code: '123456' }, asAdmin(id)).catch(() => {})));
      await waitFor(async () => (await Promise.all(clinics.map(statusOf))).every(({ status }) => status !== 'verifying'));
      const states = await Promise.all(clinics.map(async (id) => (await statusOf(id)).status));
      expect(states.sort()).toEqual(['active', 'failed', 'failed']);
      await deliver(number, 'Hola');
      const received = await Promise.all(clinics.map(textsOf));
      expect(received.filter(Boolean)).toEqual([['Hola']]);
      expect((await statusOf(clinics[received.findIndex(Boolean)] as string)).status).toBe('active');
    }
  });
});

describe('a number that a clinic gives up while a clinic has proven it is not deregistered', () => {
  const calls = (number: string, step: string) => m.provider.seen.filter(({ path }) => path === `/${number}/${step}`).length;
  const verify = (clinicId: string) => m.channels.verifyChannelOtp({ code: '123456' }, asAdmin(clinicId));
  /** Starts to connect the number. */
  async function start(clinicId: string, number: string) {
    m.provider.next('/phone_numbers', { body: { id: number } });
    await m.channels.startChannel({ phone: '+50370001234', otpMethod: 'sms', wabaId: '1000', accessToken: `EAAG-${number}` }, asAdmin(clinicId));
  }
  /** Registers the number and subscribes to nothing, so that the attempt fails. */
  async function registerOnly(clinicId: string, number: string) {
    await start(clinicId, number);
    m.provider.next('/subscribed_apps', m.provider.refusal(403, 10));
    await expect(verify(clinicId)).rejects.toMatchObject({ reason: 'CHAT_PROVIDER_ERROR' });
  }
  const isForgotten = (number: string) =>
    waitFor(async () => (await m.look('select 1 from retired_numbers where phone_number_id = $1', [number])).length === 0);

  test('when another clinic has proven it before the new number is connected', async () => {
    const [number, next] = [freshNumber(), freshNumber()];
    const one = await owner(number);
    await start(one, next);
    const other = await owner(number);
    expect(await verify(one)).toMatchObject({ status: 'active' });
    await isForgotten(number);
    expect([calls(number, 'deregister'), (await statusOf(other)).status]).toEqual([0, 'active']);
  });

  test.each(['another clinic', 'the same clinic'])('when %s uses the number of an attempt that failed', async (who) => {
    const [first, second] = [freshNumber(), freshNumber()];
    const one = await owner(first);
    const given = who === 'the same clinic' ? first : second;
    await registerOnly(one, given);
    if (given === second) await owner(second);
    await start(one, freshNumber());
    await isForgotten(given);
    expect(calls(given, 'deregister')).toBe(0);
  });

  test('when another clinic proves it during the call, its number is registered again', async () => {
    const [number, next] = [freshNumber(), freshNumber()];
    const [one, other] = [await owner(number), randomUUID()];
    await start(one, next);
    await start(other, number);
    m.provider.next(`/${number}/deregister`, { wait: async () => void (await verify(other)) });
    expect(await verify(one)).toMatchObject({ status: 'active' });
    await waitFor(() => calls(number, 'register') === 2);
    await becomes(other, 'active');
    expect(calls(number, 'deregister')).toBe(1);
  });
});
