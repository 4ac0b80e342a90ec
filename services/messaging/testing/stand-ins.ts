// The responses of the services that messaging calls.
import type { DescService } from '@bufbuild/protobuf';
import { fail } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { type Call, type Handlers, implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';

/** The responses of other services, by method. Other methods respond with NOT_FOUND. */
// biome-ignore lint/suspicious/noExplicitAny: tests define the types of requests and responses
export type Answers = Record<string, (request: any, call: Call) => unknown>;

/** A transport for contracts whose methods return the responses in `answers`. */
export function standIn(answers: Answers, ...contracts: DescService[]) {
  const log = createLog('test', 'silent');
  return localTransport(
    contracts.map((contract) => {
      const handlers = contract.methods.map((method) => [
        method.localName,
        async (_app: unknown, request: never, call: Call) => answers[method.localName]?.(request, call) ?? fail('NOT_FOUND'),
      ]);
      return implement({ log, constraints: {} }, contract, Object.fromEntries(handlers) as Handlers<unknown, DescService>);
    }),
  );
}

/** How identity describes a clinic. */
export const CLINIC = { name: 'Sonrisa', isActive: true, plan: 'clinica', clinicType: 'dental', timezone: 'America/El_Salvador', country: 'SV' };
