// Detects a PostgreSQL server that is frozen, or behind a broken network: its connections stay open and nothing is returned. When statements wait
// and none ends, the server is probed on a new connection; if it does not respond, the connections of the pool are closed, so that requests fail
// within 4 seconds, although a statement may run longer.
import { once } from 'node:events';
import net from 'node:net';
import type pg from 'pg';
import { onTick, TICK_MS } from '../background/tick.ts';

/** Time without a completed statement before the server is probed: about one tick. */
const QUIET_MS = TICK_MS - 50;
const PROBE_MS = 2_000;

/** Watches the connections of the pool until it ends. */
export function watchSilence(pool: pg.Pool, { host, port }: { host: string; port: number }): void {
  const open = new Set<pg.PoolClient>();
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => open.delete(client));
  /** When statements began to wait without any completing. */
  let since: number | undefined;
  let probing = false;
  const ended = () => {
    since = undefined;
  };
  pool.on('connect', ended);
  pool.on('release', ended);

  async function check(): Promise<void> {
    if (pool.ended) return stop();
    if (pool.totalCount === pool.idleCount) ended();
    else since ??= performance.now();
    if (since === undefined || performance.now() - since < QUIET_MS || probing) return;
    probing = true;
    if (!(await responds(host, port))) for (const client of open) disconnect(client);
    ended();
    probing = false;
  }
  const stop = onTick(() => void check());
}

/** Every PostgreSQL server and every pooler responds to an SSLRequest with one byte, before authentication. */
async function responds(host: string, port: number): Promise<boolean> {
  const socket = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host);
  socket.once('connect', () => socket.write(SSL_REQUEST));
  try {
    await once(socket, 'data', { signal: AbortSignal.timeout(PROBE_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

function disconnect(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: net.Socket } }).connection; // not in pg's types
  stream.destroy(Object.assign(new Error('the server does not answer'), { code: 'ETIMEDOUT' }));
}
