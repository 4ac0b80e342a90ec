// Returns a free port on loopback which no other process on the machine is given while this one lives, whether or not something listens on
// it yet: a server may take seconds to start, and again when it restarts. The ports are below the kernel's ephemeral ports: otherwise an
// outgoing connection could take one.
import net from 'node:net';

const PORTS = { first: 20_000, count: 6_000 };

/** The process that is given a port listens on the port that is `count` higher until it ends, so that the kernel decides who has it. */
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
