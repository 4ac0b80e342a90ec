// A wire to something on this machine that can be cut and mended: what is behind it lives on and is away all the same.
import net from 'node:net';
import type { Stoppable } from '@clinic/lib/stop.ts';

export type Wire = Stoppable & {
  port: number;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  mend(): void;
};

/** A free port of loopback that leads to `target`. */
export async function openWire(target: number): Promise<Wire> {
  const open = new Set<net.Socket>();
  let whole = true;
  const server = net.createServer((inward) => {
    if (!whole) return void inward.resetAndDestroy();
    const outward = net.connect(target, '127.0.0.1');
    for (const [one, other] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      open.add(one.setNoDelay());
      one.on('error', () => other.destroy()).on('close', () => open.delete(one));
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
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
