// One unary call from the gateway. Rows name the method, so no typed client is needed.
import type { DescMethodUnary, DescService, Message, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { Caller } from '@clinic/lib/caller.ts';
import { as } from '@clinic/lib/rpc/context.ts';
import type { Transport } from '@connectrpc/connect';

/** The transport of a service by name: identity, scheduling, … */
export type Transports = (service: string) => Transport;

/** Name of the service that implements a contract: clinic.scheduling.v1.DoctorService → scheduling. */
export function serviceOf(contract: DescService): string {
  return contract.typeName.split('.')[1] ?? '';
}

/** Calls `method` as `caller`. Throws the ServiceError of the other side. */
export async function call<M extends DescMethodUnary>(
  transport: Transport,
  method: M,
  input: MessageInitShape<M['input']>,
  caller: Caller,
  idempotencyKey?: string,
): Promise<MessageShape<M['output']>> {
  const { contextValues } = as(caller, idempotencyKey);
  const response = await transport.unary(method, undefined, undefined, undefined, input, contextValues);
  return response.message as Message as MessageShape<M['output']>;
}
