// Each RPC names the processes that may call it. Every other process is refused, whoever it acts for.
import { globSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DescMethod, type DescService, getOption } from '@bufbuild/protobuf';
import { serviceOf } from '@clinic/gateway/http/rpc.ts';
import { areas } from '@clinic/gateway/routes/areas.ts';
import { type Caller, serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { type Call, type Handlers, implement, type StreamCall } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { callers } from '@clinic/proto/common/v1/options_pb.js';
import { beforeAll, expect, test } from '@jest/globals';
import { declaredServices } from '../dev/launch/settings.ts';
import { PROJECT, SERVICES } from '../schemas.ts';

const PROCESSES = [...SERVICES, 'gateway'];
const clinic = { id: '', plan: '', timezone: '', country: '' };
const user = (role: string): Caller => ({ kind: 'user', id: '', requestId: '', ip: '', role, clinic });
const CALLERS: Caller[] = [user('admin'), { ...user(''), kind: 'operator' }, { ...serviceCaller('', ''), clinic }];

const contracts: DescService[] = [];
beforeAll(async () => {
  for (const file of globSync('proto/gen/clinic/**/*_pb.js', { cwd: PROJECT })) {
    const exported = Object.values((await import(pathToFileURL(path.join(PROJECT, file)).href)) as Record<string, DescService>);
    contracts.push(...exported.filter(({ kind }) => kind === 'service'));
  }
});

/** The methods of all contracts, with a function that calls each of them as a process. */
function methods(): { method: DescMethod; name: string; run(call: Call): Promise<unknown> }[] {
  return contracts.flatMap((contract) => {
    const answer = async function* () {};
    const handlers = Object.fromEntries(contract.methods.map((method) => [method.localName, method.methodKind === 'unary' ? async () => ({}) : answer]));
    const { rpcs } = implement({ log: createLog('test', 'silent'), constraints: {} }, contract, handlers as Handlers<object, DescService>);
    return rpcs.map((rpc) => ({
      method: rpc.method,
      name: `${contract.typeName}/${rpc.method.name}`,
      run: async (call: Call) => ('run' in rpc ? rpc.run({} as never, call) : rpc.stream({} as never, call as StreamCall).next()),
    }));
  });
}

test('an RPC refuses every process that it does not name, whatever the caller, and accepts those that it names', async () => {
  const wrong: string[] = [];
  for (const { method, name, run } of methods()) {
    for (const from of PROCESSES) {
      const answers = await Promise.all(
        CALLERS.map((caller) => run({ caller, from, idempotencyKey: undefined, deadline: Number.POSITIVE_INFINITY }).catch((error: Error) => error.message)),
      );
      const refused = answers.map((answer) => answer === `${from} may not call ${name}`);
      if (refused.some((one) => one === getOption(method, callers).includes(from))) wrong.push(`${name} from ${from}`);
    }
  }
  expect(methods().length).toBeGreaterThan(200);
  expect(wrong).toEqual([]);
});

test('an RPC names only processes, and only those that have the address of its service', async () => {
  const services = await declaredServices();
  const faults = methods().flatMap(({ method, name }) =>
    getOption(method, callers)
      .filter((from) => from !== 'gateway' && from !== serviceOf(method.parent) && serviceOf(method.parent) !== 'common')
      .filter((from) => !services.some((service) => service.name === from && service.dependencies.includes(serviceOf(method.parent))))
      .map((from) => `${name}: ${from}`),
  );
  // Called by `npm run ops -- rebuild` in its own process, in the name of the service whose figures it computes.
  expect(faults.sort()).toEqual([
    'clinic.billing.v1.TaxDocumentService/ListTaxDocumentStates: scheduling',
    'clinic.scheduling.v1.LookupService/ListAppointmentStates: platform',
  ]);
});

test('the gateway may call the RPCs of its routes', () => {
  const refused = areas.flatMap(({ routes }) => routes).filter(({ rpc }) => !getOption(rpc, callers).includes('gateway'));
  expect(refused.map(({ path: at }) => at)).toEqual([]);
});
