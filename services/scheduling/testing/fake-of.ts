// A service of which a test defines some RPCs; the others reply with an empty message.
import { type Handlers, implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';

type Contract = Parameters<typeof implement>[1];
const app = { log: createLog('test', 'silent'), constraints: {} };

export function fakeOf<S extends Contract>(contract: S, handlers: Partial<Handlers<typeof app, S>>) {
  const empty = Object.fromEntries(contract.methods.map(({ localName }) => [localName, async () => ({})]));
  return implement(app, contract, { ...empty, ...handlers } as Handlers<typeof app, S>);
}
