// Other processes: signals to them, and their processor time and memory, read from /proc. Elsewhere than on Linux nothing is read.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const TICKS = 100; // a second, on every Linux that Node runs on

/** A part of the system under its name, as the processes that it consists of. */
export type Part = { name: string; pids: () => number[] };
export type Usage = { cpuSeconds: number; memoryMb: number };

type Stat = { parent: number; own: number; withEnded: number };

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [own, ended] = [(fields[11] ?? 0) + (fields[12] ?? 0), (fields[13] ?? 0) + (fields[14] ?? 0)];
    return { parent: fields[1] ?? 0, own: own / TICKS, withEnded: (own + ended) / TICKS };
  } catch {
    return undefined; // it has ended, or this is not Linux
  }
}

/** A process and all that descend from it; none where there is no process, since everything would descend from 0. */
export function familyOf(pid: number): number[] {
  if (!(pid > 1)) return [];
  const everyone = existsSync('/proc') ? readdirSync('/proc').map(Number).filter(Number.isInteger) : [];
  const parents = new Map(everyone.map((one) => [one, statOf(one)?.parent]));
  const family = [pid];
  for (const member of family) for (const [child, parent] of parents) if (parent === member) family.push(child);
  return family;
}

/** To those of the processes that have not ended. */
export function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Processor seconds since the start of each part, its ended children included, and its memory now. */
export function usageOf(parts: Part[]): Map<string, Usage> {
  return new Map(
    parts.map(({ name, pids }) => {
      const all = pids();
      const cpuSeconds = all.reduce((total, pid) => total + (statOf(pid)?.withEnded ?? 0), 0);
      return [name, { cpuSeconds, memoryMb: all.reduce((total, pid) => total + memoryOf(pid, all.length > 1), 0) }];
    }),
  );
}

/** Megabytes resident. Where several processes share memory, each is given its part of what is shared (PSS). */
export function memoryOf(pid: number, shared = false): number {
  try {
    const [file, field] = shared ? ['smaps_rollup', 'Pss'] : ['status', 'VmRSS'];
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Processor seconds that each part spent between two readings. */
export function spent(before: Map<string, Usage>, after: Map<string, Usage>): Record<string, number> {
  return Object.fromEntries([...after].map(([name, { cpuSeconds }]) => [name, cpuSeconds - (before.get(name)?.cpuSeconds ?? 0)]));
}
