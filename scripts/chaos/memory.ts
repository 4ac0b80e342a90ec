// Measures the memory of every process under a steady load. After a warm-up it must not grow by more than a tenth.
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf } from '../processes.ts';
import { seeded } from '../random.ts';
import { median } from '../statistics.ts';
import { startInstallation, type Topology } from './campaign/installation.ts';
import { type CycleClinic, setUpClinic, work } from './campaign/load.ts';

const LOAD_MS = 5_000;
const CYCLES_A_CLINIC = 3;
/** The part of the time in which processes load code and fill caches, which is not counted. */
const WARM_UP = 1 / 3;
const GROWTH = 0.1;

/** The median memory in MiB in the second and in the last third of the time, and the number of processes of that name. */
export type Use = { name: string; before: number; after: number; processes: number };

export async function measureMemory({ minutes, topology, print }: { minutes: number; topology: Topology; print: (line: string) => void }): Promise<Use[]> {
  const installation = await startInstallation(topology);
  const samples: { at: number; name: string; pid: number; mib: number }[] = [];
  const started = performance.now();
  const ms = minutes * 60_000;
  const sampling = setInterval(() => {
    for (const { name, pid } of installation.processes()) samples.push({ at: performance.now() - started, name, pid, mib: memoryOf(pid) });
  }, 1_000);
  try {
    let clinic: CycleClinic | undefined;
    for (let cycle = 0; performance.now() - started < ms; cycle++) {
      if (!clinic || cycle % CYCLES_A_CLINIC === 0) clinic = await setUpClinic(installation);
      await Promise.all([work(installation, clinic, seeded(cycle), LOAD_MS), sleep(LOAD_MS)]);
      if (cycle % 12 === 0) print(describe(samples, performance.now() - started));
    }
  } finally {
    clearInterval(sampling);
    await installation.stop();
  }
  const medianOf = (some: typeof samples) => median(some.map(({ mib }) => mib));
  return [...Map.groupBy(samples, ({ name }) => name)].map(([name, all]) => {
    const counted = all.filter(({ at }) => at > ms * WARM_UP);
    const half = ms * (WARM_UP + (1 - WARM_UP) / 2);
    return {
      name,
      before: medianOf(counted.filter(({ at }) => at <= half)),
      after: medianOf(counted.filter(({ at }) => at > half)),
      processes: new Set(all.map(({ pid }) => pid)).size,
    };
  });
}

function describe(samples: { at: number; name: string; mib: number }[], now: number): string {
  const latest = new Map(samples.map(({ name, mib }) => [name, mib]));
  return `${(now / 60_000).toFixed(1)} min: ${[...latest].map(([name, mib]) => `${name} ${mib.toFixed(0)}`).join(', ')} MiB`;
}

export function reportMemory(uses: Use[]): { lines: string[]; passed: boolean } {
  const grown = ({ before, after }: Use) => after / before - 1;
  const rows = uses.map((use) => `| ${use.name} | ${use.before.toFixed(0)} | ${use.after.toFixed(0)} | ${(grown(use) * 100).toFixed(1)} % |`);
  return {
    lines: ['| process | second third (MiB) | last third (MiB) | growth |', '|---|---|---|---|', ...rows],
    passed: uses.every((use) => use.processes === 1 && grown(use) <= GROWTH),
  };
}
