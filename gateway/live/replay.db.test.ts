import { randomUUID } from 'node:crypto';
import { STREAM } from '@clinic/lib/events/nats.ts';
import { EVENT_ID_HEADER } from '@clinic/lib/events/published-stream.ts';
import { type TestNats, testNats } from '@clinic/lib/testing/nats.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect, headers, type NatsConnection } from 'nats';
import { v7 } from 'uuid';
import { replay } from './replay.ts';

let server: TestNats;
let connection: NatsConnection;
beforeAll(async () => {
  server = await testNats();
  connection = await connect({ servers: server.url });
  await (await connection.jetstreamManager()).streams.add({ name: STREAM, subjects: ['clinic.>'] });
});
afterAll(async () => {
  await connection.close();
  await server.drop();
});

test('many clients replay missed events concurrently, and leave no consumers behind', async () => {
  const clinicId = randomUUID();
  const ids = [v7(), v7(), v7()];
  for (const id of ids) {
    const named = headers();
    named.set(EVENT_ID_HEADER, id);
    await connection.jetstream().publish(`clinic.${clinicId}.scheduling.appointment-booked`, '{}', { headers: named });
  }
  const replays = await Promise.all(Array.from({ length: 20 }, () => replay(connection, clinicId, ids[0] ?? '')));
  for (const events of replays) expect(events.map(({ id }) => id)).toEqual(ids.slice(1));
  expect(await replay(connection, randomUUID(), ids[0] ?? '')).toEqual([]);
  expect(await replay(connection, clinicId, 'ffffffff-ffff-4fff-bfff-ffffffffffff')).toEqual([]); // its time is beyond the year 9999
  expect((await (await connection.jetstreamManager()).streams.info(STREAM)).state.consumer_count).toBe(0);
});
