// Ports that a process keeps through restarts. They lie below those that the kernel gives to outgoing connections, one of
// which would sooner or later sit on the port of a process that is away.
import net from 'node:net';

const [FIRST, LAST] = [20_000, 32_000];
const given = new Set<number>();

/** A free port of loopback, given once. */
export async function steadyPort(): Promise<number> {
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
