// A replica of a service in its own process, which continuously commits and publishes events. With the mode `restarting` it also restarts its relay
// repeatedly. When standard input ends, it prints the number of stream rebuilds and exits. Arguments: the owner's URL, the URL of NATS, the mode.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { PatientCreatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import pino from 'pino';
import { closeDb, inTenant, openDb } from '../db/db.ts';
import { databaseUrls } from '../db/migrate.ts';
import { connectNats } from '../events/nats.ts';
import { emit, startRelay } from '../events/outbox.ts';
import { streamRebuilds } from '../telemetry/metrics.ts';

const WRITERS = 4;
const EVENTS_PER_TRANSACTION = 10;
const RESTART_MS = 200;

const [, , ownerUrl = '', natsUrl = '', mode = ''] = process.argv;
const log = pino({ level: 'silent' });
const db = openDb(databaseUrls(ownerUrl, 'scheduling'), { schema: 'scheduling', max: WRITERS + 2, log });
const nats = connectNats(natsUrl, 'scheduling', log);
let ending = false;

async function write(): Promise<void> {
  const clinicId = randomUUID();
  while (!ending) {
    await inTenant(db, clinicId, async (tx) => {
      for (let i = 0; i < EVENTS_PER_TRANSACTION; i++) await emit(tx, clinicId, PatientCreatedSchema, { patientId: randomUUID() });
    });
    await sleep(10);
  }
}

async function publish(): Promise<void> {
  let relay = startRelay({ db, nats, log });
  while (mode === 'restarting' && !ending) {
    await sleep(RESTART_MS);
    await relay.stop();
    relay = startRelay({ db, nats, log });
  }
  await ended;
  await relay.stop();
}

const ended = once(process.stdin.resume(), 'end').then(() => {
  ending = true;
});
const working = [publish(), ...Array.from({ length: WRITERS }, write)];
await nats.connected();
process.stdout.write('running\n');
await Promise.all(working);
const { values } = await streamRebuilds.get();
process.stdout.write(`${JSON.stringify(values.map(({ labels, value }) => ({ ...labels, value })))}\n`);
await nats.stop();
await closeDb(db);
