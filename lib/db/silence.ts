// A server that is frozen, or behind a broken network, keeps its connections and answers nothing. It is asked whether it answers when statements
// wait and none ends. When it does not, the connections are closed, so that requests end within 4 seconds however long a statement may run.
import { once } from 'node:events';
import net from 'node:net';
import type pg from 'pg';
import { onTick, TICK_MS } from '../background/tick.ts';

/** From one look to the next. */
const QUIET_MS = TICK_MS - 50;
const ANSWER_MS = 2_000;

/** Watches the pool of the server until it ends. */
export function watchSilence(pool: pg.Pool, { host, port }: { host: string; port: number }): void {
  const open = new Set<pg.PoolClient>();
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => open.delete(client));
  /** Since when statements wait and none has ended. */
  let since: number | undefined;
  let asking = false;
  const ended = () => {
    since = undefined;
  };
  pool.on('connect', ended);
  pool.on('release', ended);

  async function look(): Promise<void> {
    if (pool.ended) return stop();
    if (pool.totalCount === pool.idleCount) ended();
    else since ??= performance.now();
    if (since === undefined || performance.now() - since < QUIET_MS || asking) return;
    asking = true;
    if (!(await answers(host, port))) for (const client of open) cut(client);
    ended();
    asking = false;
  }
  const stop = onTick(() => void look());
}

/** Every PostgreSQL, and every pooler, answers the request for TLS with one byte, before any sign-in. */
async function answers(host: string, port: number): Promise<boolean> {
  const socket = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host);
  socket.once('connect', () => socket.write(SSL_REQUEST));
  try {
    await once(socket, 'data', { signal: AbortSignal.timeout(ANSWER_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

function cut(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: net.Socket } }).connection; // not in pg's types
  stream.destroy(Object.assign(new Error('the server does not answer'), { code: 'ETIMEDOUT' }));
}
