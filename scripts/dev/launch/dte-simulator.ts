// Without a configured tax authority, a simulated one is used, so that a trial never reaches the real one. It is started before the services, and
// the demo clinic can issue documents immediately.
import path from 'node:path';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import type { Transport } from '@connectrpc/connect';
import { freePort } from '../../../lib/runtime/free-port.ts';
import { setUpDemo } from '../dte-simulator/set-up-demo.ts';
import { startSimulatorProcess } from './simulator-process.ts';

type Options = { dataDir: string; running: Stoppable[]; print: (line: string) => void };
type Product = { transport: (service: string) => Transport; demo: { email: string; password: string } | undefined };

/** Undefined when DTE_API_BASE_URL is set, and in production. */
export async function planDteSimulator(env: NodeJS.ProcessEnv, { dataDir, running, print }: Options) {
  if (env.DTE_API_BASE_URL || env.NODE_ENV === 'production') return undefined;
  const port = Number(env.DTE_SIMULATOR_PORT) || (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const own = { DTE_SIMULATOR_PORT: String(port), DTE_SIMULATOR_DATA: path.join(dataDir, 'dte-simulator'), DTE_SCHEMA_DIR: env.DTE_SCHEMA_DIR };
  return {
    /** The address of the simulator and of its page. */
    url,
    /** The environment for the services. */
    env: { ...env, DTE_API_BASE_URL: url } as NodeJS.ProcessEnv,
    start: () =>
      startSimulatorProcess({ name: 'tax authority', program: 'scripts/dev/dte-simulator/main.ts', env: own, probe: `${url}/simulator`, running, print }),
    /** Registers the demo clinic as an issuer. */
    async setUp({ transport, demo }: Product) {
      if (demo) await setUpDemo(transport, demo, url).catch((error: Error) => print(`the demo clinic issues no tax documents: ${error.message}`));
    },
  };
}
