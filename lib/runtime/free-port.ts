// Returns a free port on loopback, never the same one twice in one process. The range is below the kernel's ephemeral ports: otherwise an
// outgoing connection could take the port of a process that is about to start or restart.
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
