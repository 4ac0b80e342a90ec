// The Connect protocol on the ops port, beside health and metrics: `curl` with JSON reaches every RPC.
import http from 'node:http';
import type { DescMethodUnary, Message } from '@bufbuild/protobuf';
import { type Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { NamedKey } from '../config.ts';
import { REASONS, toServiceError } from '../errors.ts';
import { metrics } from '../metrics.ts';
import { DEADLINE_MS, fromHeaders } from './context.ts';
import type { Implementation, Rpc } from './pipeline.ts';

export type OpsServer = { port: number; stop(): Promise<void> };

/** Health (`/healthz`, `/readyz`), metrics and the Connect mount. `ready` says whether traffic should come. */
export async function serveOps(
  implementations: Implementation[],
  options: { host: string; port: number; keys: NamedKey[]; ready: () => boolean },
): Promise<OpsServer> {
  const rpc = connectNodeAdapter({ routes: (router) => mount(router, implementations, options.keys), grpc: false, grpcWeb: false });
  const server = http.createServer((request, response) => {
    if (request.url === '/healthz') return void response.end('ok\n');
    if (request.url === '/readyz') return void response.writeHead(options.ready() ? 200 : 503).end(options.ready() ? 'ready\n' : 'not ready\n');
    if (request.url === '/metrics') return void metrics.metrics().then((text) => response.setHeader('content-type', metrics.contentType).end(text));
    rpc(request, response);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(options.port, options.host, resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

function mount(router: ConnectRouter, implementations: Implementation[], keys: NamedKey[]): void {
  for (const { rpcs } of implementations) {
    for (const rpc of rpcs) router.rpc(rpc.method as DescMethodUnary, serve(rpc, keys) as never); // the pipeline erases the types that the contract has checked
  }
}

function serve(rpc: Rpc, keys: NamedKey[]) {
  return async (request: Message, context: HandlerContext): Promise<Message> => {
    try {
      const deadline = Date.now() + (context.timeoutMs() ?? DEADLINE_MS);
      return await rpc.run(
        request,
        fromHeaders((name) => context.requestHeader.get(name) ?? undefined, keys, deadline),
      );
    } catch (thrown) {
      const error = toServiceError(thrown, {});
      // gRPC and Connect share their code numbers.
      throw new ConnectError(error.message, REASONS[error.reason].grpc as number as Code, { 'clinic-reason': error.reason });
    }
  };
}
