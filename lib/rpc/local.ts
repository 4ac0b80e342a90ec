// The mount for services that share a process: the same pipeline, no bytes.
import { create, type Message } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { fail } from '../errors.ts';
import { DEADLINE_MS, outgoingKey } from './context.ts';
import type { Implementation, Rpc } from './pipeline.ts';

const NO_HEADERS = new Headers();

export function localTransport(implementations: Implementation[]): Transport {
  const rpcs = new Map<unknown, Rpc>(implementations.flatMap(({ rpcs }) => rpcs.map((rpc) => [rpc.method, rpc])));
  return {
    async unary(method, _signal, timeoutMs, _header, input, contextValues) {
      const rpc = rpcs.get(method) ?? fail('INTERNAL', `${method.parent.typeName}.${method.name} is not served here`);
      const outgoing = contextValues?.get(outgoingKey) ?? fail('UNAUTHENTICATED');
      const call = { caller: outgoing.caller, idempotencyKey: outgoing.idempotencyKey, deadline: Date.now() + (timeoutMs ?? DEADLINE_MS) };
      const message = await rpc.run(create(method.input, input) as Message, call);
      return { stream: false, service: method.parent, method, header: NO_HEADERS, trailer: NO_HEADERS, message: message as never };
    },
    stream() {
      throw new Error('no contract streams');
    },
  };
}
