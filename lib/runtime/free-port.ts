// A free port on loopback, never the same twice in one process. The range lies below the ephemeral ports of the kernel: an outgoing
// connection could otherwise take the port of a process that is about to start or restart.
import net from 'node:net';

const [FIRST, LAST] = [20_000, 32_000];
const given = new Set<number>();

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
