// The two ways to run the same services: all in this process, or each in its own.

import type { Stoppable } from '@clinic/lib/background/stop.ts';
import type { Transport } from '@connectrpc/connect';
import type { AllSettings, AnyModule } from './settings.ts';
import type { Stores } from './stores.ts';

export type Topology = (start: {
  modules: AnyModule[];
  settings: AllSettings;
  env: NodeJS.ProcessEnv;
  stores: Stores;
  /** What was started, oldest first; pushed onto as it goes, so that a failure midway leaves nothing running. */
  running: Stoppable[];
  say: (line: string) => void;
}) => Promise<{ url: string; adminUrl: string; transport: (service: string) => Transport }>;
