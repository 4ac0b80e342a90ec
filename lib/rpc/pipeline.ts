// The pipeline of every RPC: access check, deadline, error mapping, log, metrics. Calls arrive through grpc-server.ts and call-stream-server.ts
// (between processes), connect.ts (curl with JSON) or local.ts (within a process).
import {
  create,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  getOption,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import { Access, access, callers } from '@clinic/proto/common/v1/options_pb.js';
import { type Constraints, fail, type ServiceError, toServiceError } from '../errors/errors.ts';
import { explain, isExplained } from '../errors/explained.ts';
import type { Log } from '../telemetry/log.ts';
import { rpcDuration } from '../telemetry/metrics.ts';
import { continueTrace, RPC_ATTRIBUTES, SpanKind } from '../telemetry/tracing.ts';
import { type Caller, isOfClinic } from './caller.ts';

/** Metadata of a call. */
export type Call = {
  caller: Caller;
  /** The calling process; undefined for tokens of the previous release, which do not name it. */
  from?: string | undefined;
  /** The Idempotency-Key of a creating call. */
  idempotencyKey: string | undefined;
  /** Deadline in milliseconds since 1970. */
  deadline: number;
  /** The span of the calling process; undefined when none is recorded. */
  traceparent?: string | undefined;
};

/** A server-streaming call. `signal` is aborted when the reader stops or the deadline passes. */
export type StreamCall = Call & { signal: AbortSignal };

type Handler<App, M> =
  M extends DescMethodUnary<infer I, infer O>
    ? (app: App, request: MessageShape<I>, call: Call) => Promise<MessageInitShape<O>>
    : M extends DescMethodServerStreaming<infer I, infer O>
      ? (app: App, request: MessageShape<I>, call: StreamCall) => AsyncIterable<MessageInitShape<O>>
      : never;
/** One handler for each method of a service. */
export type Handlers<App, S extends DescService> = { [K in keyof S['method']]: Handler<App, S['method'][K]> };

export type UnaryRpc = { method: DescMethodUnary; run: (request: Message, call: Call) => Promise<Message> };
export type StreamRpc = { method: DescMethodServerStreaming; stream: (request: Message, call: StreamCall) => AsyncGenerator<Message> };
export type Rpc = UnaryRpc | StreamRpc;

export type Implementation = { service: DescService; rpcs: Rpc[] };

/** The part of the app that the pipeline uses. */
export type BaseApp = { log: Log; constraints: Constraints };

/** Binds handlers to the methods of a contract. Throws when a method has no handler, or when its contract does not set access and callers. */
export function implement<App extends BaseApp, S extends DescService>(app: App, service: S, handlers: Handlers<App, S>): Implementation {
  const byName = handlers as unknown as Record<string, unknown>; // the mapped type Handlers has checked names and types
  const rpcs = service.methods.map((method): Rpc => {
    const handler = byName[method.localName];
    if (handler && isUnary(method)) return { method, run: guarded(app, method, handler as Handler<App, DescMethodUnary>) };
    if (handler && isStream(method)) return { method, stream: guardedStream(app, method, handler as Handler<App, DescMethodServerStreaming>) };
    throw new Error(`${service.typeName}.${method.name} has no handler`);
  });
  return { service, rpcs };
}

function guarded<App extends BaseApp>(app: App, method: DescMethodUnary, handler: Handler<App, DescMethodUnary>): UnaryRpc['run'] {
  const gate = gateOf(app, method);
  const run: UnaryRpc['run'] = async (request, call) => {
    const started = performance.now();
    let error: ServiceError | undefined;
    try {
      gate.admit(call);
      return create(method.output, await handler(app, request, call));
    } catch (thrown) {
      error = gate.toError(thrown, call);
      throw error;
    } finally {
      gate.measure(error, started);
    }
  };
  return (request, call) => continueTrace(call.traceparent, gate.rpc, SpanKind.SERVER, RPC_ATTRIBUTES, () => run(request, call));
}

function guardedStream<App extends BaseApp>(
  app: App,
  method: DescMethodServerStreaming,
  handler: Handler<App, DescMethodServerStreaming>,
): StreamRpc['stream'] {
  const gate = gateOf(app, method);
  return async function* (request, call) {
    const started = performance.now();
    let error: ServiceError | undefined;
    try {
      gate.admit(call);
      for await (const message of handler(app, request, call)) yield create(method.output, message);
    } catch (thrown) {
      error = gate.toError(thrown, call);
      throw error;
    } finally {
      gate.measure(error, started);
    }
  };
}

/** Access check, error mapping and measurement, for both kinds of method. */
function gateOf(app: BaseApp, method: DescMethodUnary | DescMethodServerStreaming) {
  const wanted = getOption(method, access);
  const rpc = `${method.parent.typeName}/${method.name}`;
  const allowed = getOption(method, callers);
  if (wanted === Access.UNSPECIFIED) throw new Error(`${rpc} does not set the option (clinic.common.v1.access)`);
  if (allowed.length === 0) throw new Error(`${rpc} does not set the option (clinic.common.v1.callers)`);
  return {
    rpc,
    admit({ caller, from, deadline }: Call): void {
      if (from !== undefined && !allowed.includes(from)) fail('FORBIDDEN', `${from} may not call ${rpc}`);
      if (!mayCall(wanted, caller)) fail(caller.kind === 'anonymous' ? 'UNAUTHENTICATED' : 'FORBIDDEN');
      if (Date.now() > deadline) fail('UNAVAILABLE', 'The deadline passed before the call was handled');
    },
    toError(thrown: unknown, { caller }: Call): ServiceError {
      const error = toServiceError(thrown, app.constraints);
      if (error.reason === 'INTERNAL' || error.reason === 'UNAVAILABLE') {
        app.log[isExplained(thrown) ? 'debug' : 'error']({ err: thrown, rpc, requestId: caller.requestId, clinicId: caller.clinic?.id }, 'an RPC failed');
        explain(error);
      }
      return error;
    },
    measure: (error: ServiceError | undefined, started: number) =>
      rpcDuration.observe({ rpc, outcome: error?.reason ?? 'OK' }, (performance.now() - started) / 1000),
  };
}

const isUnary = (method: DescMethod): method is DescMethod & DescMethodUnary => method.methodKind === 'unary';
const isStream = (method: DescMethod): method is DescMethod & DescMethodServerStreaming => method.methodKind === 'server_streaming';

function mayCall(wanted: Access, caller: Caller): boolean {
  switch (wanted) {
    case Access.PUBLIC:
      return true;
    case Access.USER:
      return isOfClinic(caller) || (caller.kind === 'service' && caller.clinic !== undefined);
    case Access.ADMIN:
      return caller.kind === 'user' && caller.role === 'admin';
    case Access.OPERATOR:
      return caller.kind === 'operator';
    case Access.SERVICE:
      return caller.kind === 'service';
    default:
      return false;
  }
}

/** The clinic of the caller, which calls of methods with ACCESS_USER or ACCESS_ADMIN always have. Throws FORBIDDEN without one. */
export function clinicOf(call: Call) {
  return call.caller.clinic ?? fail('FORBIDDEN');
}
