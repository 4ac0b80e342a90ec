// Names from the service definitions: consumers, subjects, jobs, encryption contexts, settings, metrics, RPCs and events.
import { globSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DescMessage, DescService } from '@bufbuild/protobuf';
import { gatewayCallSettings, gatewaySettings } from '@clinic/gateway/settings.ts';
import { stopAll } from '@clinic/lib/background/stop.ts';
import { commonSettings } from '@clinic/lib/config/config.ts';
import { closeDb, openDb } from '@clinic/lib/db/db.ts';
import { databaseUrls } from '@clinic/lib/db/migrate.ts';
import '@clinic/lib/db/pool-use.ts';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { REASONS } from '@clinic/lib/errors/errors.ts';
import { eventToken } from '@clinic/lib/events/outbox.ts';
import { listenSettings } from '@clinic/lib/runtime/main.ts';
import type { ServiceParts } from '@clinic/lib/runtime/service.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { metrics } from '@clinic/lib/telemetry/metrics.ts';
import type { Transport } from '@connectrpc/connect';
import { type AnyModule, loadModules } from '../../dev/launch/modules.ts';
import { withStoredSecrets } from '../../dev/launch/secrets.ts';
import { readAllSettings } from '../../dev/launch/settings.ts';
import { PROJECT } from '../../schemas.ts';
import { collect, type Names } from './names.ts';

type Defined = { name: string; module: AnyModule; parts: ServiceParts };

export async function serviceNames(ownerUrl: string, dataDir: string): Promise<Names> {
  const defined = await defineAll(ownerUrl, dataDir);
  const consumers = defined.flatMap(({ name, parts }) => parts.consumers.map((consumer) => ({ service: name, ...consumer })));
  const modules = defined.map(({ module }) => module);
  return {
    'Durable consumers': collect(
      consumers.map(({ service, name, producer, event }) => [`${service}-${name}`, `clinic.*.${producer}.${eventToken(event)}`] as const),
    ),
    Subjects: collect(consumers.map(({ producer, event }) => [`clinic.*.${producer}.${eventToken(event)}`] as const)),
    'Event types': collect(
      (await generated<DescMessage>('clinic/events/**', 'message')).map((event) => [event.typeName, ...event.fields.map(({ jsonName }) => jsonName)] as const),
    ),
    'Queues and jobs': collect(defined.flatMap(({ name, parts }) => parts.jobs.map((job) => [`${name}_jobs`, job.name] as const))),
    Metrics: collect(await metricNames()),
    Settings: collect([
      ...Object.keys(commonSettings).map((name) => ['every process', name] as const),
      ...Object.keys(listenSettings).map((name) => ['every service', name] as const),
      ...Object.keys({ ...gatewaySettings, ...gatewayCallSettings }).map((name) => ['gateway', name] as const),
      ...modules.flatMap(({ name, settings }) => Object.keys(settings).map((setting) => [name, setting] as const)),
    ]),
    'Error codes': collect(Object.keys(REASONS).map((reason) => [reason] as const)),
    'Encryption contexts': collect(modules.flatMap(encryptionContexts)),
    RPCs: collect(
      (await generated<DescService>('clinic/**', 'service')).flatMap(({ typeName, methods }) => methods.map(({ name }) => [typeName, name] as const)),
    ),
  };
}

/** Creates the services as a start does, on an empty database and without other services, and stops their loops immediately. */
async function defineAll(ownerUrl: string, dataDir: string): Promise<Defined[]> {
  const modules = await loadModules();
  const settings = readAllSettings(modules, { ...withStoredSecrets({}, dataDir), DATA_DIR: dataDir });
  const noTransport = () => ({}) as Transport;
  return Promise.all(
    modules.map(async (module) => {
      const { name } = module;
      const log = createLog(name, 'silent');
      const db = openDb(databaseUrls(ownerUrl, name), { schema: name, max: 2, log });
      const own = { ...settings, ...databaseUrls(ownerUrl, name) };
      const parts: ServiceParts = await module.create({ settings: own, db, clock: systemClock, log, transportTo: noTransport });
      await stopAll([{ stop: () => closeDb(db) }, ...(parts.loops ?? [])]);
      return { name, module, parts };
    }),
  );
}

/** Messages or services of the generated contracts below a folder. */
export async function generated<T extends DescMessage | DescService>(folder: string, kind: T['kind']): Promise<T[]> {
  const files = globSync(`proto/gen/${folder}/*_pb.js`, { cwd: PROJECT });
  const exported = await Promise.all(files.map((file) => import(pathToFileURL(path.join(PROJECT, file)).href) as Promise<Record<string, unknown>>));
  return exported.flatMap((file) => Object.values(file)).filter((value): value is T => (value as { kind?: string } | null)?.kind === kind);
}

async function metricNames() {
  const known = await metrics.getMetricsAsJSON();
  // The others are those of Node.
  const ours = known.filter(({ name }) => name.startsWith('clinic_'));
  return ours.map(({ name }) => {
    const { labelNames = [] } = metrics.getSingleMetric(name) as unknown as { labelNames?: string[] };
    return [name, ...labelNames] as const;
  });
}

/** The encryption context of each encrypted column, with the columns of its row in angle brackets. */
function encryptionContexts({ name, personal }: AnyModule) {
  // Templates and toString() both return the column's name.
  const row = new Proxy({}, { get: (_, column) => ({ toString: () => `<${String(column)}>` }) });
  const shown = (context: string) => context.replace('NaN', '<number>');
  return (personal?.encrypted ?? []).flatMap(({ table, column, context, index }) => [
    [`${name}.${table}.${column}`, shown(context(row))] as const,
    ...(index ? [[`${name}.${table}.${index.column}`, shown(index.context(row))] as const] : []),
  ]);
}
