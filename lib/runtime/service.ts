// Starts a service: database, RPCs, events, jobs, health and metrics; and stops it.
import type { Transport } from '@connectrpc/connect';
import type { z } from 'zod';
import { startAuditChain } from '../audit/audit-chain.ts';
import { auditRpc } from '../audit/audit-rpc.ts';
import { type Stoppable, stopAll } from '../background/stop.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import { watchClock } from '../clock/clock-watch.ts';
import type { CommonSettings } from '../config/config.ts';
import { checkPublicUrl } from '../config/public-url.ts';
import { announceProcess } from '../crypto/running-processes.ts';
import { serviceKeys, sharedKeys } from '../crypto/service-keys.ts';
import { closeDb, type Db, openDb } from '../db/db.ts';
import { startPurge } from '../db/retention.ts';
import { missingMigrations } from '../db/schema-version.ts';
import { startConsumers } from '../events/consumers.ts';
import type { Consumer } from '../events/events.ts';
import { connectNats } from '../events/nats.ts';
import { startRelay } from '../events/outbox.ts';
import { type Job, startJobs } from '../jobs/jobs.ts';
import type { PersonalData } from '../privacy/personal-data.ts';
import type { OpsServer } from '../rpc/connect.ts';
import { transportFrom } from '../rpc/context.ts';
import type { Credentials } from '../rpc/credentials.ts';
import type { GrpcServer } from '../rpc/grpc-server.ts';
import { localTransport } from '../rpc/local.ts';
import type { Implementation } from '../rpc/pipeline.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { watchStartUp } from './start-up.ts';
import { statusRpc } from './status-rpc.ts';
import { untilAvailable } from './until-available.ts';

/** Arguments of ServiceModule.create(). */
export type Start<S> = { settings: S & CommonSettings; db: Db; clock: Clock; log: Log; transportTo: (service: string) => Transport };

/** A service, as defineService() in its service.ts returns it. */
export type ServiceModule<S extends z.ZodRawShape = z.ZodRawShape> = {
  /** Also the name of its schema, and part of the names of its roles, logs and metrics. */
  name: string;
  /** Folder with its numbered SQL files. */
  migrations: string;
  /** Its settings in addition to the common ones. */
  settings: S;
  /** Names of the services that it calls by RPC. */
  dependencies: string[];
  /** Personal data and encrypted columns of all its modules. */
  personal: PersonalData;
  create(start: Start<z.infer<z.ZodObject<S>>>): Promise<ServiceParts> | ServiceParts;
};

export type ServiceParts = {
  implementations: Implementation[];
  consumers: Consumer[];
  jobs: Job[];
  /** Loops and pools that already run. They are stopped before the database, the last one first. */
  loops?: Stoppable[];
};

export type RunningService = {
  name: string;
  /** A transport that calls the service within the process. */
  transport: Transport;
  db: Db;
  grpc?: GrpcServer;
  ops?: OpsServer;
  stop(): Promise<void>;
};

type ServiceOptions = {
  settings: CommonSettings & Record<string, unknown>;
  transportTo: (service: string) => Transport;
  /** Resolves when jobs may call other services. */
  dependencies?: Promise<unknown>;
  clock?: Clock;
  log?: Log;
  /** Absent when all services run in one process; no port is opened then. */
  listen?: { host: string; rpcPort: number; opsPort: number; credentials: Credentials };
};

/**
 * Starts a service; stop() stops its parts in reverse order, ports first and the database last. Throws a StartError when PostgreSQL is unavailable
 * for START_SECONDS, and a SettingsError for unusable encryption keys; everything that was started is then stopped.
 */
export async function startService(module: ServiceModule, options: ServiceOptions): Promise<RunningService> {
  const { listen } = options;
  const log = options.log ?? createLog(module.name, options.settings.LOG_LEVEL);
  const { NODE_ENV, ENCRYPTION_KEYS } = options.settings;
  const shared = listen && NODE_ENV === 'production' ? sharedKeys(ENCRYPTION_KEYS, module.name) : '';
  if (shared) log.warn({ keys: shared }, 'ENCRYPTION_KEYS contains keys of all services: replace them by keys of each service (docs/operations.md)');
  if (listen && 'PUBLIC_URL' in options.settings) checkPublicUrl(options.settings, log);
  const settings = { ...options.settings, ENCRYPTION_KEYS: serviceKeys(ENCRYPTION_KEYS, module.name) };
  const clock = options.clock ?? systemClock;
  const db = openDb(settings, { schema: module.name, max: settings.DATABASE_POOL, log });
  const running: Stoppable[] = [{ stop: () => closeDb(db) }];
  let serving = true;
  try {
    running.push(await untilAvailable(settings.START_SECONDS, () => announceProcess({ db, keys: settings.ENCRYPTION_KEYS, log })));
    const transportTo = (name: string) => transportFrom(module.name, options.transportTo(name));
    const parts = await module.create({ settings: settings as never, db, clock, log, transportTo });
    running.push(...(parts.loops ?? []));
    const implementations = [...parts.implementations, auditRpc({ db, log }), statusRpc({ db, log })];
    const nats = connectNats(settings.NATS_URL, module.name, log, { replicas: settings.NATS_REPLICAS, maxBytes: settings.NATS_MAX_BYTES });
    running.push(nats);
    running.push(startRelay({ db, nats, log }), startPurge({ db, log }), startAuditChain({ db, log }));
    const jobs = await untilAvailable(settings.START_SECONDS, () => startJobs(parts.jobs, { db, clock, log, dependencies: options.dependencies }));
    running.push(jobs, watchClock({ db, log, onStep: jobs.afterClockStep }));
    running.push(startConsumers(parts.consumers, { service: module.name, db, nats, log }));
    const service: RunningService = { name: module.name, transport: localTransport(implementations), db, stop };
    if (listen) {
      const { host, rpcPort, opsPort, credentials } = listen;
      const { serveOps } = await import('../rpc/connect.ts');
      const { serveGrpc } = await import('../rpc/grpc-server.ts');
      const onReady = () => service.grpc?.setServing(serving);
      const startUp = watchStartUp({ missingMigrations: () => missingMigrations(db, module.migrations), nats, log, onReady });
      running.push(startUp);
      service.ops = await serveOps(implementations, { host, port: opsPort, credentials, ready: () => serving && startUp.ready() });
      running.push(service.ops);
      service.grpc = await serveGrpc(implementations, { host, port: rpcPort, credentials });
      service.grpc.setServing(startUp.ready());
      running.push(service.grpc);
      log.info({ rpcPort: service.grpc.port, opsPort: service.ops.port }, 'the service accepts calls');
    }
    async function stop() {
      serving = false;
      service.grpc?.setServing(false);
      await stopAll(running);
    }
    return service;
  } catch (error) {
    await stopAll(running).catch((err) => log.error({ err }, 'the service could not be started, and some of its parts could not be stopped'));
    throw error;
  }
}
