// A service with a database of its own, called through its real pipeline within the process.
import { type DescMethod, type DescService, getOption } from '@bufbuild/protobuf';
import { callers } from '@clinic/proto/common/v1/options_pb.js';
import { type Client, type ContextValues, createClient, type Transport } from '@connectrpc/connect';
import { shortenPauses } from '../background/pace.ts';
import type { Clock } from '../clock/clock.ts';
import type { Db } from '../db/db.ts';
import { outgoingKey, transportFrom } from '../rpc/context.ts';
import { type ServiceModule, startService } from '../runtime/service.ts';
import type { MovedClock } from './clock.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { testSettings } from './settings.ts';

export type TestService = {
  /**
   * `const doctors = service.client(DoctorService)`; calls need a caller: `doctors.listDoctors({}, asUser(clinicId))`. The calling process is the
   * service of a service caller, otherwise the gateway; if the contract does not allow that process, the first one that it allows.
   */
  client<S extends DescService>(service: S): Client<S>;
  transport: Transport;
  /** The database as the service uses it, with both of its roles. */
  db: Db;
  database: TestDatabase;
  stop(): Promise<void>;
};

type TestServiceOptions = {
  /** Transports of the services that it calls, by name: of another test service, or localTransport() of a fake. */
  dependencies?: Record<string, Transport>;
  /** When it is moved, the service looks at once for work that became due. */
  clock?: Clock | MovedClock;
  /** Environment variables besides those of the common settings. Without NATS_URL there is no NATS. */
  settings?: Record<string, string>;
  /** A database shared with another service; the caller drops it. */
  database?: TestDatabase;
};

// biome-ignore lint/suspicious/noExplicitAny: services have different settings, which are only passed on here
export async function testService(module: ServiceModule<any>, options: TestServiceOptions = {}): Promise<TestService> {
  const { dependencies = {}, clock } = options;
  shortenPauses();
  const database = options.database ?? (await testDatabase());
  const running = await startService(module, {
    settings: testSettings(module.settings, { ...options.settings, ...database.urls(module.name) }),
    transportTo: (name) => {
      const transport = dependencies[name];
      if (!transport) throw new Error(`${module.name} calls ${name}: pass its transport in dependencies`);
      return transport;
    },
    ...(clock ? { clock } : {}),
  });
  // Pools may open all connections at once, as after a busy period, so that concurrent statements of a test really run concurrently.
  for (const pool of [running.db.pool, running.db.systemPool]) pool.options.max = pool.most;
  if (clock && 'onMove' in clock) {
    clock.onMove.push(() => {
      for (const notify of running.db.onWritten.values()) notify();
    });
  }
  return {
    client: (service) => createClient(service, asAllowed(running.transport)),
    transport: running.transport,
    db: running.db,
    database,
    async stop() {
      await running.stop();
      if (!options.database) await database.drop();
    },
  };
}

function asAllowed(transport: Transport): Transport {
  const from = (method: DescMethod, values: ContextValues | undefined) => {
    const allowed = getOption(method, callers);
    const caller = values?.get(outgoingKey)?.caller;
    const named = caller?.kind === 'service' ? caller.id : 'gateway';
    return transportFrom(allowed.includes(named) ? named : (allowed[0] ?? named), transport);
  };
  return {
    unary: (method, signal, timeoutMs, header, input, values) => from(method, values).unary(method, signal, timeoutMs, header, input, values),
    stream: (method, signal, timeoutMs, header, input, values) => from(method, values).stream(method, signal, timeoutMs, header, input, values),
  };
}
