// Other processes: which ones belong together, signals to them, and their processor time and memory. All of it is read from /proc, so
// nothing is found on systems other than Linux.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { commandLine } from './dev/embedded/leftover.ts';

const TICKS = 100; // a second, on every Linux that Node runs on

/** A named part of the system and the ids of its processes. */
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

/** A process and its descendants. Empty for the ids 0 and 1, from which every process descends. */
export function familyOf(pid: number): number[] {
  if (!(pid > 1)) return [];
  const everyone = existsSync('/proc') ? readdirSync('/proc').map(Number).filter(Number.isInteger) : [];
  const parents = new Map(everyone.map((one) => [one, statOf(one)?.parent]));
  const family = [pid];
  for (const member of family) for (const [child, parent] of parents) if (parent === member) family.push(child);
  return family;
}

/** The services and the gateway that run as processes of their own below `pid`. */
export function servicesBelow(pid: number): { name: string; pid: number }[] {
  return familyOf(pid).flatMap((member) => {
    const [, folder] = /\/(gateway|services\/\w+)\/main\.ts\s*$/.exec(commandLine(member)) ?? [];
    return folder ? [{ name: path.basename(folder), pid: member }] : [];
  });
}

/** Signals the processes that have not ended. */
export function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Each part's processor seconds since its start, including its ended children, and its current memory. */
export function usageOf(parts: Part[]): Map<string, Usage> {
  return new Map(
    parts.map(({ name, pids }) => {
      const all = pids();
      const cpuSeconds = all.reduce((total, pid) => total + (statOf(pid)?.withEnded ?? 0), 0);
      return [name, { cpuSeconds, memoryMb: all.reduce((total, pid) => total + memoryOf(pid, all.length > 1), 0) }];
    }),
  );
}

/** Resident memory in megabytes. With `shared`, memory that several processes share is divided among them (PSS). */
export function memoryOf(pid: number, shared = false): number {
  try {
    const [file, field] = shared ? ['smaps_rollup', 'Pss'] : ['status', 'VmRSS'];
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Processor seconds that each part used between two readings. */
export function spent(before: Map<string, Usage>, after: Map<string, Usage>): Record<string, number> {
  return Object.fromEntries([...after].map(([name, { cpuSeconds }]) => [name, cpuSeconds - (before.get(name)?.cpuSeconds ?? 0)]));
}
