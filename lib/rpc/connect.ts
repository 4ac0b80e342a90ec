// The Connect protocol on the ops port, next to health and metrics, so that `curl` with JSON reaches every RPC. It is not encrypted, so only
// clients on the same machine are answered; calls between machines use gRPC with TLS.
import http from 'node:http';
import type { DescMethodUnary, Message } from '@bufbuild/protobuf';
import { type Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { REASONS, toServiceError } from '../errors/errors.ts';
import { isLoopback } from '../formats/loopback.ts';
import { answerHealth } from '../http/health.ts';
import { DEADLINE_MS, fromHeaders, STREAM_DEADLINE_MS } from './context.ts';
import type { Credentials } from './credentials.ts';
import { definition } from './grpc-wire.ts';
import type { Call, Implementation, Rpc, StreamRpc, UnaryRpc } from './pipeline.ts';

export type OpsServer = { port: number; stop(): Promise<void> };

/** Serves health, metrics and the RPCs. `ready` returns whether the process accepts traffic. */
export async function serveOps(
  implementations: Implementation[],
  options: { host: string; port: number; credentials: Credentials; ready: () => boolean },
): Promise<OpsServer> {
  let loading: ReturnType<typeof loadHandler> | undefined; // since the first call, which few processes receive
  const server = http.createServer((request, response) => {
    if (answerHealth(request, response, options.ready)) return;
    if (!isLoopback(request.socket.remoteAddress ?? '')) {
      response.writeHead(403).end('RPCs on this port are only for clients on the same machine: call by gRPC\n');
      return;
    }
    loading ??= loadHandler(implementations, options.credentials);
    loading.then(
      (handle) => handle(request, response),
      () => {
        loading = undefined;
        response.writeHead(500).end();
      },
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(options.port, options.host, resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function loadHandler(implementations: Implementation[], credentials: Credentials) {
  const { connectNodeAdapter } = await import('@connectrpc/connect-node');
  return connectNodeAdapter({ routes: (router) => mount(router, implementations, credentials), grpc: false, grpcWeb: false });
}

function mount(router: ConnectRouter, implementations: Implementation[], credentials: Credentials): void {
  for (const { rpcs } of implementations) {
    for (const rpc of rpcs) router.rpc(rpc.method as DescMethodUnary, ('run' in rpc ? serve(rpc, credentials) : serveStream(rpc, credentials)) as never); // implement() has checked the types
  }
}

function serve(rpc: UnaryRpc, credentials: Credentials) {
  return async (request: Message, context: HandlerContext): Promise<Message> => {
    try {
      return await rpc.run(request, callOf(context, rpc, credentials, DEADLINE_MS));
    } catch (thrown) {
      throw toConnectError(thrown);
    }
  };
}

function serveStream(rpc: StreamRpc, credentials: Credentials) {
  return async function* (request: Message, context: HandlerContext): AsyncGenerator<Message> {
    try {
      yield* rpc.stream(request, { ...callOf(context, rpc, credentials, STREAM_DEADLINE_MS), signal: context.signal });
    } catch (thrown) {
      throw toConnectError(thrown);
    }
  };
}

function callOf(context: HandlerContext, { method }: Rpc, credentials: Credentials, limitMs: number): Call {
  const deadline = Date.now() + (context.timeoutMs() ?? limitMs);
  const header = (name: string) => context.requestHeader.get(name) ?? undefined;
  return fromHeaders({ header, method: definition(method).path, peer: undefined }, credentials, deadline);
}

function toConnectError(thrown: unknown): ConnectError {
  const error = toServiceError(thrown, {});
  // gRPC and Connect share their code numbers.
  return new ConnectError(error.message, REASONS[error.reason].grpc as number as Code, { 'clinic-reason': error.reason });
}
