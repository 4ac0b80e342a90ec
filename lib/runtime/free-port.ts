// Reserves free ports on loopback for servers that may take seconds to start or restart. The ports are below the kernel's ephemeral range, so that
// no outgoing connection takes one.
import net from 'node:net';

const PORTS = { first: 20_000, count: 6_000 };

/**
 * Returns a free port that no other process gets from this function while this one runs, whether or not anything listens on it yet. As the
 * reservation, the process listens on the port that is `count` higher until it ends.
 */
export async function freePort({ first, count } = PORTS): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    const claim = await listen(port + count);
    const probe = claim && (await listen(port));
    if (probe) await new Promise((closed) => probe.close(closed));
    if (probe) return port;
    claim?.close();
  }
}

function listen(port: number): Promise<net.Server | undefined> {
  return new Promise((resolve) => {
    const server = net.createServer().unref();
    server.once('error', () => resolve(undefined)).listen(port, '127.0.0.1', () => resolve(server));
  });
}
