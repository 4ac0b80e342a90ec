// HTTP servers on loopback.
import { once } from 'node:events';
import type http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on `port`, or on a free one when it is 0. */
export async function serveOnLoopback(server: http.Server, port = 0): Promise<{ url: string; stop(): Promise<void> }> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
