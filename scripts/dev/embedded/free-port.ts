// A port on loopback that nobody listens on, given once. It lies below those that the kernel gives to outgoing connections: one of
// them would sooner or later sit on the port of a process that is about to start, or to start again.
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
