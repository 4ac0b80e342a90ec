// A port of this machine that leads elsewhere, and that can be cut and mended: what is behind it lives on and is away all the
// same. Also the way into a network of containers that publishes nothing.
import net from 'node:net';
import type { Stoppable } from '@clinic/lib/background/stop.ts';

export type Wire = Stoppable & {
  port: number;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  mend(): void;
};

/** Listens on a free port of `host` and leads to `to`. */
export async function openWire(to: { host: string; port: number }, host = '127.0.0.1'): Promise<Wire> {
  const open = new Set<net.Socket>();
  let whole = true;
  const server = net.createServer((inward) => {
    if (!whole) return void inward.resetAndDestroy();
    const outward = net.connect(to);
    for (const [one, other] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      open.add(one.setNoDelay());
      one.on('error', () => other.destroy()).on('close', () => open.delete(one));
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  const breakAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as net.AddressInfo).port,
    cut() {
      whole = false;
      breakAll();
    },
    mend() {
      whole = true;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        breakAll();
        server.close(() => resolve());
      }),
  };
}
