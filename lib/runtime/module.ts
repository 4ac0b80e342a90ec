// A service is divided into modules, one folder per subdomain. The module.ts of each lists its handlers, consumers, jobs and tables, and
// service.ts joins the modules with `defineService`.
import type { DescService } from '@bufbuild/protobuf';
import type { z } from 'zod';
import type { Stoppable } from '../background/stop.ts';
import type { EncryptedColumn } from '../crypto/reencrypt.ts';
import type { Consumer } from '../events/events.ts';
import type { Job } from '../jobs/jobs.ts';
import { dataSubjectRpc } from '../privacy/data-subject.ts';
import type { PersonalData, PersonalTable } from '../privacy/personal-data.ts';
import { transportFrom } from '../rpc/context.ts';
import { localTransport } from '../rpc/local.ts';
import { type BaseApp, type Handlers, type Implementation, implement } from '../rpc/pipeline.ts';
import type { ServiceModule, Start } from './service.ts';

/** The RPCs of one contract that a module implements; other modules may implement the rest of it. */
type Rpcs<App> = { service: DescService; handlers: Partial<Handlers<App, DescService>> };

/** Binds a module's handlers to the contract they implement. */
export function rpcs<App, S extends DescService>(service: S, handlers: Partial<Handlers<App, S>>): Rpcs<App> {
  return { service, handlers: handlers as Rpcs<App>['handlers'] };
}

/** What a module adds to its service. */
export type Module<App> = {
  rpcs?: Rpcs<App>[];
  consumers?: (app: App) => Consumer[];
  jobs?: (app: App) => Job[];
  /** Starts loops and pools that run as long as the service. They are stopped in reverse order. */
  loops?: (app: App) => Stoppable[];
  /** Tables that hold data of people or clinics. Rows are erased in the order of the modules, then of the tables. */
  personal?: readonly PersonalTable[];
  /** Encrypted columns, for key rotation and export. */
  encrypted?: readonly EncryptedColumn[];
  /** Called in the transaction that erased rows of a patient. */
  erased?: PersonalData['erased'];
};

export type ServiceDefinition<App, S extends z.ZodRawShape> = Omit<ServiceModule<S>, 'create' | 'personal'> & {
  modules: Module<App>[];
  createApp(start: Start<z.infer<z.ZodObject<S>>>): App | Promise<App>;
};

/** Joins modules into a service. create() throws when an RPC of a contract has no handler, or two. */
export function defineService<App extends BaseApp, S extends z.ZodRawShape>(definition: ServiceDefinition<App, S>): ServiceModule<S> {
  const { modules, createApp, ...rest } = definition;
  const personal = joinPersonalData(modules);
  return {
    ...rest,
    personal,
    async create(start) {
      const implementations: Implementation[] = [];
      // RPCs between modules of one service are calls within the process.
      const own = transportFrom(definition.name, localTransport(implementations));
      const app = await createApp({ ...start, transportTo: (name) => (name === definition.name ? own : start.transportTo(name)) });
      implementations.push(dataSubjectRpc({ db: start.db, log: start.log, keys: start.settings.ENCRYPTION_KEYS, personal }), ...joinRpcs(app, modules));
      const all = <T>(list: (module: Module<App>) => ((app: App) => T[]) | undefined) => modules.flatMap((module) => list(module)?.(app) ?? []);
      return {
        implementations,
        consumers: all(({ consumers }) => consumers),
        jobs: all(({ jobs }) => jobs),
        loops: all(({ loops }) => loops),
      };
    },
  };
}

function joinRpcs<App extends BaseApp>(app: App, modules: Module<App>[]): Implementation[] {
  const joined = new Map<DescService, Record<string, unknown>>();
  for (const { service, handlers } of modules.flatMap((module) => module.rpcs ?? [])) {
    const known = joined.get(service) ?? {};
    for (const [method, handler] of Object.entries(handlers)) {
      if (known[method]) throw new Error(`${service.typeName}.${method} has two handlers`);
      known[method] = handler;
    }
    joined.set(service, known);
  }
  return [...joined].map(([service, handlers]) => implement(app, service, handlers as Handlers<App, DescService>));
}

function joinPersonalData<App>(modules: Module<App>[]): PersonalData {
  const erased = modules.flatMap((module) => module.erased ?? []);
  return {
    tables: modules.flatMap((module) => module.personal ?? []),
    encrypted: modules.flatMap((module) => module.encrypted ?? []),
    async erased(tx, clinicId, patientIds) {
      for (const notify of erased) await notify(tx, clinicId, patientIds);
    },
  };
}
