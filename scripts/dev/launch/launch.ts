// A start of the product, the same for both topologies: check, prepare, start, seed, print a summary, and stop cleanly.
import path from 'node:path';
import { type Stoppable, stopAll } from '@clinic/lib/background/stop.ts';
import { SettingsError } from '@clinic/lib/config/config.ts';
import { misspelledSettings } from '@clinic/lib/config/misspelled.ts';
import { afterStart } from '@clinic/lib/runtime/after-start.ts';
import { StartError, untilAvailable } from '@clinic/lib/runtime/until-available.ts';
import type { Transport } from '@connectrpc/connect';
import { isLoopback } from '../../../lib/formats/loopback.ts';
import { seedDemo } from '../demo/create.ts';
import { StartFault } from '../start-fault.ts';
import { planChatSimulator } from './chat-simulator.ts';
import { dataFolder, lockDataFolder, prepareDataFolder } from './data-folder.ts';
import { planDteSimulator } from './dte-simulator.ts';
import { containerHint, localHost, PUBLIC_PASSWORD, refusePublicPassword, refuseRestoredPassword } from './exposure.ts';
import { checkPorts, withFreePorts } from './ports.ts';
import { printSummary } from './print-summary.ts';
import { requireEncryptionKeys, withStoredSecrets } from './secrets.ts';
import { declaredServices, readAllSettings, settingNames, withSettingFiles } from './settings.ts';
import { startStores } from './stores.ts';
import type { Topology } from './topology.ts';

/** The running product, for the work for which it was started. */
export type Started = {
  transport: (service: string) => Transport;
  dataDir: string;
  /** The password of demo clinics; undefined when each gets a random one. */
  password: string | undefined;
  phoneUrl: string | undefined;
  authorityUrl: string | undefined;
  print: (line: string) => void;
};

/** Runs the product until a signal ends it or `work` is done. The exit code is 0 after a clean end and 1 after an error. */
export async function launch(topology: Topology, work?: (product: Started) => Promise<void>): Promise<void> {
  const running: Stoppable[] = [];
  const print = (line: string) => console.log(line);
  let interrupted = false;
  let ending: Promise<never> | undefined;

  const end = (code: number) => {
    ending ??= stopAll(running)
      .catch((error) => {
        console.error(error);
        code = 1;
      })
      .then(() => process.exit(code));
    return ending;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interrupted = true;
      if (running.length > 0) void end(0); // before the stores run, the check after their start ends it
    });
  }
  process.on('uncaughtException', (error) => {
    console.error(error);
    void end(1);
  });

  try {
    const started = await start(topology, running, print, () => {
      if (interrupted) throw new Error('interrupted');
    });
    afterStart();
    if (work) {
      await work(started);
      await end(0);
    } else if (started.hasHistory) {
      const { startHistory } = await import('../demo/history.ts');
      running.push(startHistory(started));
    }
  } catch (error) {
    if (!interrupted) console.error([StartFault, SettingsError, StartError].some((kind) => error instanceof kind) ? (error as Error).message : error);
    await end(interrupted ? 0 : 1);
  }
}

async function start(topology: Topology, running: Stoppable[], print: (line: string) => void, check: () => void): Promise<Started & { hasHistory: boolean }> {
  const production = process.env.NODE_ENV === 'production';
  const dataDir = prepareDataFolder(dataFolder());
  await lockDataFolder(dataDir);
  const quiet = { LOG_LEVEL: production ? 'info' : 'warn' };
  const services = await declaredServices();
  for (const complaint of misspelledSettings(settingNames(services), process.env)) print(complaint);
  const configured = await withFreePorts(withSettingFiles(services, process.env));
  if (!production) requireEncryptionKeys(configured, dataDir);
  const completed = production ? configured : withStoredSecrets(configured, dataDir);
  const plain: NodeJS.ProcessEnv = {
    ...quiet,
    HOST: '127.0.0.1',
    PUBLIC_URL: `http://localhost:${configured.PORT || 8080}`,
    ...completed,
    DATA_DIR: dataDir,
  };
  readAllSettings(services, plain); // reports invalid settings before the addresses of the simulators are derived from some of them
  const simulator = await planChatSimulator(plain, running, print);
  const authority = await planDteSimulator(simulator?.env ?? plain, { dataDir, running, print });
  const env = authority?.env ?? simulator?.env ?? plain;
  const settings = readAllSettings(services, env);
  refusePublicPassword(settings.HOST, dataDir);
  await checkPorts(settings.HOST, { PORT: settings.PORT, ADMIN_PORT: settings.ADMIN_PORT });
  check();
  await authority?.start();
  const stores = await startStores({ dataDir, env, startSeconds: settings.START_SECONDS, running, print });
  check();
  const product = await topology({ services, settings, env, stores, running, print });
  check();
  await untilAvailable(settings.START_SECONDS, () => refuseRestoredPassword(settings.HOST, dataDir, product.transport));
  const password = !production && isLoopback(settings.HOST) ? PUBLIC_PASSWORD : undefined;
  const demo = settings.DEMO_SEED
    ? await untilAvailable(settings.START_SECONDS, () => seedDemo({ transport: product.transport, dataDir, password, print }))
    : undefined;
  check();
  const phoneUrl = await simulator?.start({ gatewayUrl: `http://${localHost(settings.HOST)}:${settings.PORT}`, transport: product.transport, demo });
  await authority?.setUp({ transport: product.transport, demo });
  check();
  printSummary({
    ...product,
    // A generated password is printed only by the start that generated it.
    demo: demo && (demo.done && demo.password !== PUBLIC_PASSWORD ? { ...demo, password: `(password: see ${path.join(dataDir, 'demo.json')})` } : demo),
    phoneUrl,
    authorityUrl: authority?.url,
    dataDir,
    operatorKeys: production ? undefined : env.SUPERADMIN_KEYS,
    hint: containerHint(settings.HOST),
    print,
  });
  const hasHistory = demo !== undefined && settings.DEMO_HISTORY;
  return { transport: product.transport, dataDir, password, phoneUrl, authorityUrl: authority?.url, print, hasHistory };
}
