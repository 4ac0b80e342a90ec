// Deletes the event stream and waits until the services have published it again from their outboxes.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, readSystem, sql } from '@clinic/lib/db/db.ts';
import { connectNats, isMissing, STREAM } from '@clinic/lib/events/nats.ts';
import { counted } from '@clinic/lib/formats/counted.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { dataFolder } from '../dev/launch/data-folder.ts';
import { SERVICES } from '../schemas.ts';
import { type Ops, OpsFault } from './command.ts';
import { natsUrl } from './installation.ts';

const LOOK_MS = 500;
/** After this time without progress, no service is publishing. */
const STILL_MS = 60_000;
const CONNECT_MS = 10_000;

const stateStatement = sql<{ created_at: string | null; waiting: number; stored: number }>(`
  select p.created_at, o.stored, o.waiting from (select
    count(*)::int as stored,
    count(*) filter (where published_at is null or published_at < (select since from published_stream where name = $1))::int as waiting
  from outbox) o left join published_stream p on p.name = $1`);

export async function rebuildStream(ops: Ops, dryRun: boolean): Promise<void> {
  const outboxes = SERVICES.map((service) => ops.open(service));
  const before = await Promise.all(outboxes.map(stateOf));
  if (dryRun) {
    for (const [index, { stored }] of before.entries()) ops.print(`${SERVICES[index]}: ${counted(stored, 'event')} would be published again`);
    return;
  }
  await deleteStream();
  ops.print(`the stream ${STREAM} is deleted`);
  let still = Date.now();
  for (let last = -1; ; ) {
    const now = await Promise.all(outboxes.map(stateOf));
    const unaware = now.filter(({ created_at }, index) => created_at !== null && created_at === before[index]?.created_at).length;
    const waiting = now.reduce((sum, one) => sum + one.waiting, 0);
    if (unaware === 0 && waiting === 0) return;
    if (waiting !== last && unaware === 0) ops.print(`${counted(waiting, 'event')} not yet published`);
    if (waiting !== last) still = Date.now();
    last = waiting;
    if (Date.now() - still > STILL_MS)
      throw new OpsFault('The services have not published their events for a minute: start all services. They publish the events when they run.');
    await sleep(LOOK_MS);
  }
}

async function stateOf(db: Db) {
  const [state] = await readSystem(db, stateStatement, [STREAM]);
  return state ?? { created_at: null, waiting: 0, stored: 0 };
}

async function deleteStream(): Promise<void> {
  const url = natsUrl();
  if (!url) throw new OpsFault(`Set NATS_URL, or start the installation in DATA_DIR, which is ${dataFolder()}.`);
  const nats = connectNats(url, 'ops', createLog('ops', 'fatal'));
  try {
    const connection = await Promise.race([nats.connected(), sleep(CONNECT_MS, undefined, { ref: false })]);
    if (!connection) throw new OpsFault(`NATS does not respond at ${new URL(url).host}: start it, or correct NATS_URL.`);
    await (await connection.jetstreamManager({ checkAPI: false })).streams.delete(STREAM).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  } finally {
    await nats.stop();
  }
}
