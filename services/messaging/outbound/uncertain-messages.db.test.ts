// Messages that the provider may have received: statuses, calls without a response, senders that died, an earlier release, and clocks that were set back.
import { randomUUID } from 'node:crypto';
import { asSystem } from '@clinic/lib/db/db.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { envelope, statusDelivery } from '../testing/messaging.ts';
import { type Clinic, type OutboundFixture, startOutbound } from '../testing/outbound.ts';
import { beginTransmissions, lockClaimed, renewLeases } from './claims.sql.ts';
import type { OutboundRow } from './outbound.sql.ts';
import { typeOf } from './outgoing-content-rules.ts';
import { purgeOutbound } from './purge-outbound.ts';

let o: OutboundFixture;
beforeAll(async () => {
  o = await startOutbound();
});
beforeEach(() => o.m.provider.forget());
afterAll(() => o.stop());

describe('a call without a response', () => {
  test('may have delivered the message: the provider’s status decides, and nothing is sent again', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    o.m.provider.next('/messages', { hang: true });
    const { id } = (await o.store(clinic, { phone })) ?? { id: '' };
    await o.reaches(id, 'uncertain');
    await o.m.deliver(statusDelivery(clinic.numberId, { id: 'wamid.from-the-status', status: 'delivered', biz_opaque_callback_data: id }));
    expect((await o.reaches(id, 'delivered')).provider_id).toBe('wamid.from-the-status');
    o.clock.advance(10 * 60_000);
    await new Promise((resolve) => setTimeout(resolve, 1_300)); // longer than the interval at which waiting messages are noticed
    expect(o.m.provider.sent()).toHaveLength(1);
  });

  test('includes one with a response that cannot be read', async () => {
    const clinic = await o.newClinic();
    o.m.provider.next('/messages', { body: Buffer.from('{"messages":[{"id":') });
    const { id } = (await o.store(clinic, { phone: await o.patientOf(clinic) })) ?? { id: '' };
    expect((await o.reaches(id, 'uncertain')).error_code).toBe('no_answer');
  });

  test('and without a status is never repeated: the message is shown as uncertain, and later messages to the phone wait for 20 seconds', async () => {
    const clinic = await o.newClinic();
    const [phone, other] = [await o.patientOf(clinic), await o.patientOf(clinic)];
    o.m.provider.next('/messages', { hang: true });
    const { id } = await o.m.conversations.reply({ phone, message: 'uno' }, clinic.user);
    await o.reaches(id, 'uncertain');
    const later = (await o.store(clinic, { phone }))?.id ?? '';
    await o.reaches((await o.store(clinic, { phone: other }))?.id ?? '', 'sent');
    expect((await o.rowOf(later)).state).toBe('queued');
    o.clock.advance(20_000);
    await o.reaches(later, 'sent');
    expect((await o.reaches(id, 'dead')).error_code).toBe('no_answer');
    const { messages } = await o.m.conversations.listMessages({ phone }, clinic.user);
    expect(messages.find((one) => one.id === id)).toMatchObject({ status: 'uncertain', error: expect.stringContaining('may have received it') });
    expect(o.m.provider.sent()).toHaveLength(3);
    await o.m.deliver(statusDelivery(clinic.numberId, { id: 'wamid.late', status: 'delivered', biz_opaque_callback_data: id }));
    await o.reaches(id, 'delivered');
  });
});

test('the outcome of a call is saved even if the database was unavailable for longer than two attempts', async () => {
  const clinic = await o.newClinic();
  const phone = await o.patientOf(clinic);
  // As when connections are refused, three times.
  await o.m.look(`create sequence attempts;
    create function refuse() returns trigger language plpgsql security definer as $$ begin
      if nextval('messaging.attempts') <= 3 then raise 'refused' using errcode = '53300'; end if; return new; end $$;
    create trigger refuse before update on outbound for each row when (new.state = 'sent') execute function refuse()`);
  const { id } = (await o.store(clinic, { phone })) ?? { id: '' };
  const row = await o.reaches(id, 'sent');
  await o.m.look('drop trigger refuse on outbound; drop function refuse; drop sequence attempts');
  expect(row.provider_id).toMatch(/^wamid\.out/);
  expect(o.m.provider.sent()).toHaveLength(1);
});

describe('statuses of the provider', () => {
  test('arrive in one delivery, late, twice and in any order: the furthest state remains, and is published once', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    const reference = randomUUID();
    const one = (await o.store(clinic, { phone, reference }))?.id ?? '';
    const { id: two } = await o.m.conversations.reply({ phone, message: 'Hola' }, clinic.user);
    const ids = [(await o.reaches(one, 'sent')).provider_id, (await o.reaches(two, 'sent')).provider_id];
    const given = [
      { id: ids[0], status: 'read' },
      { id: ids[1], status: 'sent' },
      { id: ids[0], status: 'delivered' },
      { id: ids[1], status: 'delivered', biz_opaque_callback_data: two },
      { id: 'wamid.of-another-system', status: 'read' },
    ];
    for (let i = 0; i < 2; i++) {
      const body = statusDelivery(clinic.numberId, {});
      Object.assign(body.entry[0]?.changes[0]?.value as object, { statuses: given.map((status) => ({ timestamp: '1', ...status })) });
      await o.m.deliver(body);
    }
    await o.m.settled();
    await Promise.all([o.reaches(one, 'read'), o.reaches(two, 'delivered')]);
    expect((await o.published(reference)).map(({ status }) => status)).toEqual(['sent', 'read']);
    const { messages } = await o.m.conversations.listMessages({ phone }, clinic.user);
    expect(messages[0]).toMatchObject({ id: two, status: 'delivered' });
  });

  test('of an earlier attempt neither repeat the message nor end its retries, unless they confirm that it arrived', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    o.clock.stop();
    const { id } = (await o.store(clinic, { phone })) ?? { id: '' };
    const { provider_id: earlier } = await o.reaches(id, 'sent');
    const report = async (status: string, attempt = earlier) => {
      const errors = status === 'failed' && { errors: [{ code: 130429, title: 'Rate limit hit' }] };
      await o.m.deliver(statusDelivery(clinic.numberId, { id: attempt, status, biz_opaque_callback_data: id, ...errors }));
      await o.m.settled();
      return (await o.rowOf(id)).state;
    };
    expect([await report('failed'), await report('failed'), await report('sent')]).toEqual(['queued', 'queued', 'queued']);
    o.clock.go();
    o.clock.advance(3_000);
    const { provider_id: second } = await o.reaches(id, 'sent');
    expect(second).not.toBe(earlier);
    o.clock.stop();
    expect([await report('failed'), await report('failed', second), await report('sent')]).toEqual(['sent', 'queued', 'queued']);
    o.clock.go();
    o.clock.advance(10_000);
    await o.reaches(id, 'sent');
    expect([await report('failed', second), await report('delivered')]).toEqual(['sent', 'delivered']);
    expect(o.m.provider.sent()).toHaveLength(3);
  });

  test('of old messages advance the conversation, although outbound retains only messages with a reference', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    const { id } = await o.m.conversations.reply({ phone, message: 'Hola' }, clinic.user);
    const { id: other } = await o.m.conversations.reply({ phone, message: '¿Cómo está?' }, clinic.user);
    const referenced = (await o.store(clinic, { phone, reference: randomUUID() }))?.id ?? '';
    const { provider_id } = await o.reaches(id, 'sent');
    await o.reaches(referenced, 'sent');
    o.clock.advance(4 * 24 * 3_600_000);
    await purgeOutbound({ db: o.m.service.db, clock: o.clock });
    expect([await o.rowOf(id), (await o.rowOf(referenced)).state]).toEqual([undefined, 'sent']);
    const report = async (...statuses: object[]) => {
      await o.m.deliver(envelope({ metadata: { phone_number_id: clinic.numberId }, statuses }));
      await o.m.settled();
      const { messages } = await o.m.conversations.listMessages({ phone }, clinic.user);
      return [id, other].map((sent) => messages.find((one) => one.id === sent)?.status);
    };
    const earlier = { id: 'wamid.of-an-earlier-attempt', biz_opaque_callback_data: id };
    expect(await report({ ...earlier, status: 'failed' })).toEqual(['sent', 'sent']);
    const of = (attempt: string, status: string) => ({ id: `wamid.of-${attempt}`, status, biz_opaque_callback_data: other });
    const both = [{ ...earlier, status: 'delivered' }, { id: provider_id, status: 'read' }, of('one-attempt', 'read'), of('another-attempt', 'delivered')];
    expect(await report(...both)).toEqual(['read', 'read']);
    expect(await report({ id: provider_id, status: 'delivered' })).toEqual(['read', 'read']);
    o.clock.advance(61 * 24 * 3_600_000);
    await purgeOutbound({ db: o.m.service.db, clock: o.clock });
    expect(await o.rowOf(referenced)).toBeUndefined();
  });
});

describe('after a sender has died', () => {
  const lease = (seconds: number) => `lease_until = now() + interval '${seconds} seconds'`;
  /** Stores a message that another process has claimed. */
  async function claimed(clinic: Clinic, phone: string, changes: string) {
    const { id } = (await o.store(clinic, { phone, due_at: new Date(o.clock.now().getTime() + 3_600_000) })) ?? { id: '' };
    await o.m.look(`update outbound set state = 'sending', attempts = 1, claimed_at = $2, ${changes} where id = $1`, [id, o.clock.now()]);
    return id;
  }

  test.each([
    ['ended', -1],
    ['was written before the clock of the database was set back', 3600],
  ])('before the transmission: the message is sent at once if the lease %s', async (_name, seconds) => {
    const clinic = await o.newClinic();
    const id = await claimed(clinic, await o.patientOf(clinic), lease(seconds));
    await o.reaches(id, 'sent');
    expect(o.m.provider.sent()).toHaveLength(1);
  });

  test('before the transmission, after five failures: the message is a dead letter', async () => {
    const clinic = await o.newClinic();
    const id = await claimed(clinic, await o.patientOf(clinic), `${lease(-1)}, failures = 4`);
    expect((await o.reaches(id, 'sent')).failures).toBe(5);
    const last = await claimed(clinic, await o.patientOf(clinic), `${lease(-1)}, failures = 5`);
    expect((await o.reaches(last, 'dead')).error_code).toBe('not_prepared');
  });

  test('after the transmission began: the message is uncertain, and not sent again', async () => {
    const clinic = await o.newClinic();
    const id = await claimed(clinic, await o.patientOf(clinic), `${lease(-1)}, transmitting_at = now()`);
    await o.reaches(id, 'uncertain');
    o.clock.advance(20_000);
    await o.reaches(id, 'dead');
    expect(o.m.provider.sent()).toEqual([]);
  });

  test('in an earlier release, which records no transmission: the message is uncertain after a minute', async () => {
    const clinic = await o.newClinic();
    const id = await claimed(clinic, await o.patientOf(clinic), 'lease_until = null');
    o.clock.advance(61_000);
    await o.reaches(id, 'uncertain');
    expect(o.m.provider.sent()).toEqual([]);
  });

  test('a claim transmits only once, and not after another sender has claimed the message', async () => {
    const clinic = await o.newClinic();
    const id = await claimed(clinic, await o.patientOf(clinic), lease(5));
    const row = await o.rowOf(id);
    const begin = async (claim: OutboundRow) => (await beginTransmissions(o.m.service.db, [claim]))[0];
    expect(await begin({ ...row, claimed_at: new Date(row.claimed_at.getTime() - 1) })).toBe(false);
    expect(await begin(row)).toBe(true);
    expect(await begin(row)).toBe(false);
  });

  test('while the row of one message is locked, the leases of the others are renewed', async () => {
    const clinic = await o.newClinic();
    const ids = [await claimed(clinic, await o.patientOf(clinic), lease(50)), await claimed(clinic, await o.patientOf(clinic), lease(50))];
    const claims = await Promise.all(ids.map((id) => o.rowOf(id)));
    await asSystem(o.m.service.db, async (tx) => {
      await lockClaimed(tx, claims.slice(0, 1));
      await asSystem(o.m.service.db, (renewing) => renewLeases(renewing, claims));
    });
    const renewed = "select id from outbound where id = any($1) and lease_until < now() + interval '20 seconds'";
    expect(await o.m.look(renewed, [ids])).toEqual([{ id: ids[1] }]);
  });
});

describe('after the clock was set back', () => {
  test('messages that were stored before are sent, and claims in the future do not count for limits', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    await o.m.look(`insert into outbound (clinic_id, id, kind, phone, sender, content, state, next_attempt_at, claimed_at, created_at, updated_at)
      select '${clinic.id}', gen_random_uuid(), 'bot', '${phone}', 'bot', '{}', 'sent', now(), now() + interval '1 hour', now(), now() from generate_series(1, 100)`);
    const { id } = (await o.store(clinic, { phone })) ?? { id: '' };
    await o.reaches(id, 'sent');
    const { id: future } = (await o.store(clinic, { phone, due_at: new Date(o.clock.now().getTime() + 3_600_000) })) ?? { id: '' };
    await o.m.look('update outbound set updated_at = next_attempt_at where id = $1', [future]);
    await waitFor(async () => (await o.rowOf(future)).state === 'sent');
  });
});

describe('while processes of the earlier release run, which store content in outbound', () => {
  const choices = [
    { id: 'a', title: 'Uno', description: 'El primero' },
    { id: 'b', title: 'Dos' },
  ];
  // What the earlier release stores in outbound and in messages, and what this one stores in messages.
  const template = { name: 'hello', language: 'es', variables: ['Ana'] };
  const forms = [
    [{ type: 'text', text: 'Hola' }, { text: 'Hola' }, { text: 'Hola' }],
    [
      { type: 'buttons', text: 'Hola', buttons: choices },
      { text: 'Hola', choices },
      { text: 'Hola', choices },
    ],
    [
      { type: 'list', text: 'Hola', button: 'Ver', sections: [{ rows: choices }] },
      { text: 'Hola', choices: choices.map(({ id, title }) => ({ id, title })) },
      { text: 'Hola', choices, listButton: 'Ver' },
    ],
    [{ type: 'template', text: 'Hola', ...template }, { text: 'Hola' }, { text: 'Hola', template }],
  ] as const;

  test.each(forms)('they find the content of %j when they claim a message', async (earlier, _shown, content) => {
    const clinic = await o.newClinic();
    const { id = '' } = (await o.store(clinic, { phone: await o.patientOf(clinic), content, due_at: new Date(o.clock.now().getTime() + 3_600_000) })) ?? {};
    expect((await o.rowOf(id)).content).toBeNull();
    const [claimed] = await o.m.look("update outbound set state = 'sending', attempts = 6, claimed_at = now() where id = $1 returning content", [id]);
    expect(claimed.content).toEqual(earlier);
    await o.m.look('delete from outbound where id = $1', [id]);
  });

  test.each(forms)('their %j is completed in messages, from which it is sent', async (earlier, shown, content) => {
    const clinic = await o.newClinic();
    const { id = '' } = (await o.store(clinic, { phone: await o.patientOf(clinic), due_at: new Date(o.clock.now().getTime() + 3_600_000) })) ?? {};
    const [message] = await o.m.look('delete from messages where id = $1 returning conversation_id', [id]);
    await o.m.look('update outbound set content = $2 where id = $1', [id, JSON.stringify(earlier)]);
    await o.m.look(
      `insert into messages (clinic_id, id, conversation_id, direction, sender, type, content, status, created_at)
       values ($1, $2, $3, 'out', 'bot', $4, $5, 'queued', now())`,
      [clinic.id, id, message.conversation_id, typeOf(content), JSON.stringify(shown)],
    );
    expect((await o.m.look('select content from messages where id = $1', [id]))[0].content).toEqual(content);
    await o.m.look('delete from outbound where id = $1', [id]);
  });
});
