// What every RPC passes through, whichever way it came in: who may call, deadline, log, error mapping. Three mounts feed
// it: grpc.ts (the hot path), connect.ts (curl with JSON) and local.ts (same process).
import {
  create,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  getOption,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import { Access, access } from '@clinic/proto/common/v1/options_pb.js';
import type { Caller } from '../caller.ts';
import { type Constraints, fail, toServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import { rpcDuration } from '../metrics.ts';

/** What a handler knows about a call besides the request. */
export type Call = {
  caller: Caller;
  /** The Idempotency-Key of a creating call. */
  idempotencyKey: string | undefined;
  /** Epoch milliseconds after which nobody waits for the answer. */
  deadline: number;
};

export type Handler<App, M> =
  M extends DescMethodUnary<infer I, infer O> ? (app: App, request: MessageShape<I>, call: Call) => Promise<MessageInitShape<O>> : never;
/** One handler for each method of a service: a missing one does not compile. */
export type Handlers<App, S extends DescService> = { [K in keyof S['method']]: Handler<App, S['method'][K]> };

/** A method that can be mounted. */
export type Rpc = { method: DescMethodUnary; run: (request: Message, call: Call) => Promise<Message> };

export type Implementation = { service: DescService; rpcs: Rpc[] };

type AnyHandler<App> = (app: App, request: Message, call: Call) => Promise<MessageInitShape<DescMethodUnary['output']>>;

/** Binds a service's handlers to its contract. */
export function implement<App extends { log: Log; constraints: Constraints }, S extends DescService>(
  app: App,
  service: S,
  handlers: Handlers<App, S>,
): Implementation {
  const byName = handlers as unknown as Record<string, AnyHandler<App>>; // the mapped type above has already matched names and shapes
  const rpcs = service.methods.map((method) => {
    const handler = byName[method.localName];
    if (!isUnary(method) || !handler) throw new Error(`${service.typeName}.${method.name} has no handler`);
    return { method, run: guarded(app, method, handler) };
  });
  return { service, rpcs };
}

function guarded<App extends { log: Log; constraints: Constraints }>(app: App, method: DescMethodUnary, handler: AnyHandler<App>): Rpc['run'] {
  const wanted = getOption(method, access);
  const name = `${method.parent.typeName}/${method.name}`;
  return async (request, call) => {
    const started = performance.now();
    let outcome = 'OK';
    try {
      if (!mayCall(wanted, call.caller)) fail(call.caller.kind === 'anonymous' ? 'UNAUTHENTICATED' : 'FORBIDDEN');
      if (Date.now() > call.deadline) fail('UNAVAILABLE', 'The deadline had passed before the work began');
      return create(method.output, await handler(app, request, call));
    } catch (thrown) {
      const error = toServiceError(thrown, app.constraints);
      outcome = error.reason;
      if (error.reason === 'INTERNAL' || error.reason === 'UNAVAILABLE')
        app.log.error({ err: thrown, rpc: name, requestId: call.caller.requestId }, 'rpc failed');
      throw error;
    } finally {
      rpcDuration.observe({ rpc: name, outcome }, (performance.now() - started) / 1000);
    }
  };
}

const isUnary = (method: DescMethod): method is DescMethod & DescMethodUnary => method.methodKind === 'unary';

function mayCall(wanted: Access, caller: Caller): boolean {
  switch (wanted) {
    case Access.PUBLIC:
      return true;
    case Access.USER:
      return caller.kind === 'user' || (caller.kind === 'service' && caller.clinic !== undefined);
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

/** The clinic of the caller: present wherever the contract says ACCESS_USER or ACCESS_ADMIN. */
export function clinicOf(call: Call) {
  return call.caller.clinic ?? fail('FORBIDDEN');
}
