// A port of this machine that leads into a network of containers which publishes none: tests look at the database as its owner.
import net from 'node:net';
import type { Stoppable } from '@clinic/lib/stop.ts';

/** Listens on a free port of `host`. */
export async function forward(to: { host: string; port: number }, host = '127.0.0.1'): Promise<Stoppable & { port: number }> {
  const open = new Set<net.Socket>();
  const server = net.createServer((inward) => {
    const outward = net.connect(to);
    for (const [one, other] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy()).on('close', () => open.delete(one));
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve(undefined));
      }),
  };
}
