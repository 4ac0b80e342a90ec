// The type of the two ways to run the services: all in this process, or each in its own.
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import type { Transport } from '@connectrpc/connect';
import type { AllSettings, Declared } from './settings.ts';
import type { Stores } from './stores.ts';

export type Topology = (start: {
  services: Declared[];
  settings: AllSettings;
  env: NodeJS.ProcessEnv;
  stores: Stores;
  /** Everything that was started, oldest first. Each part is added as soon as it runs, so that a failure leaves nothing running. */
  running: Stoppable[];
  print: (line: string) => void;
}) => Promise<{ url: string; adminUrl: string; transport: (service: string) => Transport }>;
