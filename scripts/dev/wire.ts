// A TCP proxy on a local port. It can be interrupted and restored, so that the target keeps running but is unavailable. It is also used to reach
// containers that publish no ports.
import { once } from 'node:events';
import net from 'node:net';

export type Wire = Awaited<ReturnType<typeof openWire>>;

type Address = { host: string; port: number };

/** Listens on a free port of `host` and forwards connections to `to`. A function is called for each connection. */
export async function openWire(to: Address | (() => Address), host = '127.0.0.1') {
  const open = new Set<net.Socket>();
  let connected = true;
  const server = net.createServer((inward) => {
    if (!connected) return void inward.resetAndDestroy();
    const outward = net.connect(typeof to === 'function' ? to() : to);
    for (const [one, other] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      open.add(one.setNoDelay());
      one.on('error', () => other.destroy()).on('close', () => open.delete(one));
      one.pipe(other);
    }
  });
  await once(server.listen(0, host), 'listening');
  const breakAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as net.AddressInfo).port,
    /** Closes every connection and refuses new ones. */
    cut() {
      connected = false;
      breakAll();
    },
    /** Accepts connections again. */
    restore() {
      connected = true;
    },
    async stop() {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
