// Ends processes of an earlier start: after kill -9 its PostgreSQL and NATS are still running.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartFault } from '../start-fault.ts';

/** Ends the process whose id is in the first line of `pidFile`, if it is running and its command line contains `mark`. */
export async function endLeftover(pidFile: string, mark: string, signals: NodeJS.Signals[]): Promise<void> {
  const pid = pidIn(pidFile);
  if (!Number.isInteger(pid) || pid <= 1) return;
  const ours = () => commandLine(pid).includes(mark);
  for (const signal of signals) {
    if (!ours()) return;
    kill(pid, signal);
    for (let waited = 0; waited < 8_000 && ours(); waited += 50) await sleep(50);
  }
  if (ours()) throw new StartFault(`Process ${pid} of an earlier start still uses ${mark} and does not end: kill it and start again`);
}

/** The process id in the first line of the file; 0 when the file does not exist. */
export const pidIn = (pidFile: string) => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8').split('\n')[0]) : 0);

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPERM')
      throw new StartFault(`Process ${pid} of an earlier start by another user is still running: end it as that user`);
  }
}

/** The command line of a process; '' when it is gone or a zombie. */
export function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
