// The connections of a process to a service: keepalive, load balancing over the addresses of a name, and their renewal.
import grpc from '@grpc/grpc-js';
import { DEADLINE_MS } from './context.ts';
import type { Credentials } from './credentials.ts';
import { grpcError } from './grpc-wire.ts';

/** How long calls wait while the client connects. */
const CONNECT_MS = 2_500;
/** Connections are replaced after this time, so that new replicas of the service and new certificates are used. */
const RENEW_MS = 5 * 60_000;

/**
 * The clients of a service, each replaced after RENEW_MS of use by one with new connections. The client closes the former connections after their
 * calls have ended; when a server closes them (grpc.max_connection_age_ms), calls in transit are lost.
 */
export function openClients(callee: string, address: string, credentials: Credentials) {
  const open = () => {
    const client = openClient(callee, address, credentials);
    return { client, connected: createConnected(client) };
  };
  let present = open();
  let [renewAt, isClosed] = [performance.now() + RENEW_MS, false];

  function current() {
    if (performance.now() > renewAt) {
      renewAt = performance.now() + RENEW_MS;
      const next = open();
      next.client.waitForReady(Date.now() + DEADLINE_MS, (error) => {
        if (error || isClosed) return next.client.close();
        const earlier = present.client;
        present = next;
        setTimeout(() => earlier.close(), DEADLINE_MS).unref(); // by then no call waits for a connection of the former client
      });
    }
    return present;
  }
  return {
    current: () => current().client,
    /** Waits while the client connects. */
    async connected(): Promise<grpc.Client> {
      const { client, connected } = current();
      await connected();
      return client;
    },
    close(): void {
      isClosed = true;
      present.client.close();
    },
  };
}

function openClient(callee: string, address: string, { tls }: Credentials): grpc.Client {
  const channel = tls ? grpc.experimental.createCertificateProviderChannelCredentials(tls, tls) : grpc.credentials.createInsecure();
  return new grpc.Client(address, channel, {
    'grpc.ssl_target_name_override': callee, // the certificate names the service, whatever its address
    'grpc.use_local_subchannel_pool': 1, // does not share the connections of the former client
    // A server that is frozen, or behind a broken network, is detected within 3.5 seconds, however long a call may take. With a shorter time, a
    // server that waits for a CPU would be taken for frozen.
    'grpc.keepalive_time_ms': 1_000,
    'grpc.keepalive_timeout_ms': 2_500,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 500, // reconnect soon after a restart of the service
    'grpc.dns_min_time_between_resolutions_ms': 2_000, // find a replaced instance soon
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  });
}

const UNANSWERED = 'No connection established: the server does not respond';

/**
 * Returns a function that waits while the client connects. It rejects once connecting has taken CONNECT_MS: a frozen process accepts connections
 * and sends nothing.
 */
function createConnected(client: grpc.Client): () => Promise<void> {
  const channel = client.getChannel();
  const { IDLE, CONNECTING } = grpc.connectivityState;
  let until = 0; // when the current attempt to connect has taken too long
  let last = IDLE;
  return async () => {
    for (;;) {
      const state = channel.getConnectivityState(true);
      if (last !== CONNECTING) until = Date.now() + CONNECT_MS;
      last = state;
      if (state !== IDLE && state !== CONNECTING) return;
      await new Promise<void>((resolve, reject) => {
        channel.watchConnectivityState(state, until, (late) => (late ? reject(grpcError(grpc.status.UNAVAILABLE, UNANSWERED)) : resolve()));
      });
    }
  };
}
