// The faults of the campaign. All random decisions of a fault are made when it is drawn, so that the same seed draws the same fault.
import { spawnSync } from 'node:child_process';
import { rmSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { familyOf, signal } from '../../processes.ts';
import type { Random } from '../../random.ts';
import { SERVICES } from '../../schemas.ts';
import type { Installation } from './installation.ts';

export type Fault = {
  /** For example `kill identity`. */
  name: string;
  /** Resolves when the fault has ended. The product may still be recovering. */
  strike(installation: Installation): Promise<void>;
};

const CONNECTIONS = 250;
const FROZEN_MS = 4_000;

type Draw = (random: Random, installation: Installation) => Fault;

const DRAWS: Record<string, Draw> = {
  kill: (random, { topology }) => onProcess('kill', random, topology, async (pids) => signal(pids, 'SIGKILL')),
  stop: (random, { topology }) => onProcess('stop', random, topology, async (pids) => signal(pids, 'SIGTERM')),
  freeze(random, { topology }) {
    const ms = 500 + random.below(FROZEN_MS);
    return onProcess('freeze', random, topology, async (pids) => {
      signal(pids, 'SIGSTOP');
      await sleep(ms).finally(() => signal(pids, 'SIGCONT'));
    });
  },
  'kill all': () => ({
    name: 'kill all',
    async strike(installation) {
      const stores = [...family(installation.store('postgres')), ...family(installation.store('nats'))];
      signal([...family(installation.launcher()), ...stores], 'SIGKILL');
      await installation.restart();
    },
  }),
  'delete the event store': () => ({
    name: 'delete the event store',
    async strike(installation) {
      signal(family(installation.store('nats')), 'SIGKILL');
      rmSync(path.join(installation.dataDir, 'nats/jetstream'), { recursive: true, force: true });
    },
  }),
  'disk full': (random) => {
    const ms = 500 + random.below(4_000);
    return {
      name: `disk full for ${ms} ms`,
      async strike({ dataDir }) {
        const ballast = path.join(dataDir, 'ballast');
        try {
          spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=1M']); // ends when no space is left
          await sleep(ms);
        } finally {
          truncateSync(ballast);
          rmSync(ballast, { force: true });
        }
      },
    };
  },
  'clock jump': (random) => {
    const seconds = (random.chance(0.5) ? 1 : -1) * (10 + random.below(600));
    return {
      name: `clock jump to ${seconds} s from the true time`,
      async strike({ clock }) {
        await clock?.set(new Date(Date.now() + seconds * 1_000).toISOString());
      },
    };
  },
  'connections exhausted': (random) => {
    const ms = 1_000 + random.below(3_000);
    return {
      name: `connections exhausted for ${ms} ms`,
      async strike(installation) {
        const clients = Array.from({ length: CONNECTIONS }, () => new pg.Client({ connectionString: installation.ownerUrl() }).on('error', () => {}));
        await Promise.allSettled(clients.map((client) => client.connect()));
        await sleep(ms);
        await Promise.allSettled(clients.map((client) => client.end()));
      },
    };
  },
  'chat provider': (random) => {
    const fault = random.pick([{ delayMs: 3_000 }, { status: 500, message: 'Simulated' }, { status: 429, code: 130429, message: 'Simulated' }, { drop: true }]);
    // After the fourth refusal, a message would wait for two minutes.
    const times = Math.min(1 + random.below(8), 'status' in fault ? 3 : 8);
    return {
      name: `chat provider ${JSON.stringify(fault)} for ${times} calls`,
      strike: (installation) => addChatFault(installation, { times, ...fault }),
    };
  },
};

/** Faults of processes are drawn more often than others. */
const WEIGHTS: Record<string, number> = { kill: 8, freeze: 4, stop: 3 };

export const FAULTS = Object.keys(DRAWS);

/** Draws a fault that is possible in this installation. `kind` groups the results. */
export function drawFault(random: Random, installation: Installation, only: string[] = FAULTS): Fault & { kind: string } {
  const able = only.filter((kind) => (kind !== 'disk full' || installation.ownDisk) && (kind !== 'clock jump' || installation.clock));
  const kind = random.pick(able.flatMap((one) => Array<string>(WEIGHTS[one] ?? 1).fill(one)));
  return { kind, ...(DRAWS[kind] as Draw)(random, installation) };
}

function onProcess(kind: string, random: Random, topology: string, strike: (pids: number[]) => Promise<void>): Fault {
  const target = random.pick([...(topology === 'single' ? ['product'] : [...SERVICES, 'gateway']), 'postgres', 'nats']);
  return {
    name: `${kind} ${target}`,
    async strike(installation) {
      const pid = target === 'postgres' || target === 'nats' ? installation.store(target) : installation.processes().find(({ name }) => name === target)?.pid;
      // Nothing else restarts the product in one process. Its stores keep running when it is killed.
      const ended = target === 'product' && kind !== 'freeze';
      await strike(target === 'product' && pid ? [pid] : family(pid));
      if (ended) await installation.restart();
    },
  };
}

/** A process and its descendants. The processes of PostgreSQL are not in one process group. */
export const family = (pid: number | undefined) => (pid ? familyOf(pid) : []);

export async function addChatFault({ simulatorUrl }: Installation, fault: object): Promise<void> {
  await fetch(`${simulatorUrl}/simulator/faults`, { method: 'POST', body: JSON.stringify({ path: 'messages', ...fault }) });
}
