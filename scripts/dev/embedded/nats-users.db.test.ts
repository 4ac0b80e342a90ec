// With its NATS user, each process can publish its own events and use its own consumers, and nothing else. Tested against a real server.
import { rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { stopAll } from '@clinic/lib/background/stop.ts';
import { connectNats, ensureStream, type Nats, STREAM } from '@clinic/lib/events/nats.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AckPolicy, connect, type NatsConnection } from 'nats';
import { replay } from '../../../gateway/live/replay.ts';
import { SERVICES } from '../../schemas.ts';
import { tempFolder } from '../temp-folder.ts';
import { type EmbeddedNats, startNats } from './nats.ts';
import { NATS_USERS } from './nats-passwords.ts';

const CLINIC = '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70';
const EVENT = '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d71';
const DURABLE = 'messaging-reminders-booked';
const BOOKED = `clinic.${CLINIC}.scheduling.appointment-booked`;

const folder = tempFolder('nats-users');
let server: EmbeddedNats;
const clients: Nats[] = [];
const connections = new Map<string, NatsConnection>();
const as = (user: string) => connections.get(user) as NatsConnection;

beforeAll(async () => {
  server = await startNats({ dataDir: folder });
  for (const user of NATS_USERS) {
    const nats = connectNats(server.urlOf(user), user, createLog('test', 'silent'));
    clients.push(nats);
    connections.set(user, (await nats.connected()) as NatsConnection);
  }
  const manager = await as('messaging').jetstreamManager({ checkAPI: false });
  await ensureStream(manager);
  const filter_subject = 'clinic.*.scheduling.appointment-booked';
  await manager.consumers.add(STREAM, { durable_name: DURABLE, filter_subject, ack_policy: AckPolicy.Explicit });
});

afterAll(async () => {
  await stopAll(clients);
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const state = async () => (await (await as('messaging').jetstreamManager({ checkAPI: false })).streams.info(STREAM)).state;

/** Whether the server refuses the message. The refusal arrives before the response to the client's next request. */
async function refuses(user: string, subject: string, payload = '{}'): Promise<boolean> {
  let refused = false;
  const connection = await connect({ ...credentials(user), maxReconnectAttempts: 0 });
  void (async () => {
    for await (const { type, permissionContext } of connection.status()) {
      if (type === 'error' && permissionContext?.subject === subject) refused = true;
    }
  })();
  connection.publish(subject, payload);
  await connection.flush();
  await setImmediate(); // lets the iterator receive what arrived before the response
  await connection.close();
  return refused;
}

function credentials(user: string) {
  const { host, username, password } = new URL(server.urlOf(user));
  return { servers: host, user: username, pass: password };
}

describe.each(NATS_USERS)('%s', (user) => {
  const others = SERVICES.filter((service) => service !== user);

  test('publishes no event of another service', async () => {
    const before = await state();
    for (const other of others) expect([other, await refuses(user, `clinic.${CLINIC}.${other}.forged`)]).toEqual([other, true]);
    expect((await state()).last_seq).toBe(before.last_seq);
  });

  const foreign = [
    ['changes the stream', `$JS.API.STREAM.UPDATE.${STREAM}`],
    ['purges the stream', `$JS.API.STREAM.PURGE.${STREAM}`],
    ['deletes an event', `$JS.API.STREAM.MSG.DELETE.${STREAM}`],
    ['creates another stream', '$JS.API.STREAM.CREATE.OTHER'],
    ['responds in the name of the server', `_INBOX.${user === 'identity' ? 'dental' : 'identity'}.reply`],
    ['sends requests to the system account', '$SYS.REQ.SERVER.PING'],
    ['publishes messages that are not events', 'elsewhere'],
    ['creates a consumer under a new name', `$JS.API.CONSUMER.DURABLE.CREATE.${STREAM}.mine`],
  ] as const;
  test.each(foreign)('never %s', async (_, subject) => {
    expect(await refuses(user, subject)).toBe(true);
  });

  const consumer = [
    ['changes', `$JS.API.CONSUMER.CREATE.${STREAM}.${DURABLE}.clinic.*.scheduling.other`],
    ['deletes', `$JS.API.CONSUMER.DELETE.${STREAM}.${DURABLE}`],
    ...(user === 'messaging'
      ? []
      : [
          ['takes events from', `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.${DURABLE}`],
          ['acknowledges events of', `$JS.ACK.${STREAM}.${DURABLE}.1.1.1.1.1`],
        ]),
  ] as [string, string][];
  test.each(consumer)('never %s a consumer of messaging', async (_, subject) => {
    expect(await refuses(user, subject)).toBe(true);
  });

  test('cannot read the inbox of another user', async () => {
    const subscription = as(user).subscribe(`_INBOX.${user === 'identity' ? 'dental' : 'identity'}.>`);
    await expect(
      (async () => {
        for await (const _ of subscription) return;
      })(),
    ).rejects.toThrow('Permissions Violation');
  });
});

test.each(SERVICES)('%s publishes its events', async (service) => {
  const { seq } = await as(service).jetstream().publish(`clinic.${CLINIC}.${service}.something-happened`, '{}');
  expect(seq).toBeGreaterThan(0);
});

test('a client learns that its password is refused', async () => {
  const wrong = connectNats(server.urlOf('billing').replace(/:\w+@/, ':wrong@'), 'billing', createLog('test', 'silent'));
  expect(await wrong.refused()).toBe(true);
  await wrong.stop();
  const right = connectNats(server.urlOf('billing'), 'billing', createLog('test', 'silent'));
  expect(await right.refused()).toBe(false);
  await right.stop();
});

test('a consumer cannot deliver in the name of another service', async () => {
  const manager = await as('messaging').jetstreamManager({ checkAPI: false });
  const loop = { durable_name: DURABLE, filter_subject: 'clinic.*.scheduling.appointment-booked', ack_policy: AckPolicy.Explicit };
  await expect(manager.consumers.add(STREAM, { ...loop, deliver_subject: `clinic.${CLINIC}.identity.forged` })).rejects.toThrow();
});

test('the gateway replays what a client has missed', async () => {
  await as('scheduling').jetstream().publish(BOOKED, '{}');
  await expect(replay(as('gateway'), CLINIC, EVENT)).resolves.toEqual([]);
});

test('operators delete the stream, and a service creates it', async () => {
  const manager = await as('ops').jetstreamManager({ checkAPI: false });
  expect(await manager.streams.delete(STREAM)).toBe(true);
  await ensureStream(await as('dental').jetstreamManager({ checkAPI: false }));
  expect((await state()).messages).toBe(0);
});

test('a service refuses a stream through which a compromised one could pass forged events', async () => {
  const manager = await as('dental').jetstreamManager({ checkAPI: false });
  await manager.streams.delete(STREAM);
  await manager.streams.add({ name: STREAM, subjects: ['clinic.>'], sources: [{ name: 'OTHER', external: { api: 'clinic.x.dental', deliver: '' } }] } as never);
  await expect(ensureStream(await as('platform').jetstreamManager({ checkAPI: false }))).rejects.toThrow('by which events can be forged (sources)');
  await manager.streams.delete(STREAM);
});

test('a client cannot connect without a password, or with that of another user', async () => {
  const { servers, pass } = credentials('dental');
  await expect(connect({ servers })).rejects.toThrow('Authorization Violation');
  await expect(connect({ servers, user: 'identity', pass })).rejects.toThrow('Authorization Violation');
});
