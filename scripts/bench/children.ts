// The processes of a measurement: product, floor and load generator. Each ends with this process, even after kill -9.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { freePort } from '../../lib/runtime/free-port.ts';
import { commandLine } from '../dev/embedded/leftover.ts';
import { familyOf, type Part } from '../processes.ts';
import { SERVICES } from '../schemas.ts';
import { hasEnded, spawnNode } from '../spawn-node.ts';
import type { Job, Round } from './generator.ts';

export type Topology = 'single' | 'distributed';

export type Server = Stoppable & { name: string; url: string; parts: Part[]; metrics: Map<string, string> /** URLs, by part. */ };

export type Generator = Stoppable & { part: Part; drive(job: Job): Promise<Round> };

/** Starts the product on an existing database and waits until it is ready. Its data folder is named `name`, since each start needs its own. */
export async function startProduct(topology: Topology, name: string, env: NodeJS.ProcessEnv): Promise<Server> {
  const [port, admin] = [await freePort(), await freePort()];
  const ops = new Map<string, number>();
  if (topology === 'distributed') for (const service of SERVICES) ops.set(service, await freePort());
  const ports = {
    PORT: String(port),
    ADMIN_PORT: String(admin),
    ...Object.fromEntries([...ops].map(([service, at]) => [`${service.toUpperCase()}_OPS_PORT`, String(at)])),
  };
  const child = spawnNode(topology === 'single' ? 'scripts/dev/start.ts' : 'scripts/dev/start-distributed.ts', {
    env: { ...env, ...ports, DATA_DIR: path.join(env.DATA_DIR ?? '', name), HOST: '127.0.0.1', DEMO_SEED: 'false' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const failure = await ready(child);
  if (failure !== undefined) throw new Error(`the product did not start:\n${failure}`);
  const pid = child.pid as number;
  const family = familyOf(pid);
  const processOf = (program: string) => family.filter((one) => commandLine(one).includes(program));
  const parts =
    topology === 'single'
      ? [{ name: 'product', pids: () => [pid] }]
      : [
          { name: 'gateway', pids: () => processOf('gateway/main.ts') },
          ...SERVICES.map((service) => ({ name: service, pids: () => processOf(`services/${service}/main.ts`) })),
        ];
  const metrics = new Map([[topology === 'single' ? 'product' : 'gateway', `http://127.0.0.1:${admin}/metrics`]]);
  for (const [service, at] of ops) metrics.set(service, `http://127.0.0.1:${at}/metrics`);
  return { name, url: `http://127.0.0.1:${port}`, parts, metrics, stop: () => end(child) };
}

/** `program` is floor.ts, or hops.ts, which runs several processes. */
export async function startFloor(name: string, ownerUrl: string, program = 'floor.ts'): Promise<Server> {
  const child = spawnNode(`scripts/bench/${program}`, { env: { ...process.env, DATABASE_URL: ownerUrl } });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { name, url: `http://127.0.0.1:${port}`, parts: [{ name, pids: () => familyOf(child.pid as number) }], metrics: new Map(), stop: () => end(child) };
}

export function startGenerator(): Generator {
  const child = spawnNode('scripts/bench/generator.ts', {});
  return {
    part: { name: 'load generator', pids: () => [child.pid as number] },
    async drive(job) {
      child.send(job);
      const [round] = (await once(child, 'message')) as [Round | { error: string }];
      if ('error' in round) throw new Error(round.error);
      const failures = Object.entries(round.failures);
      if (failures.length > 0)
        throw new Error(`${job.operation}: ${failures.map(([what, count]) => `${count} × ${what}`).join(', ')} in addition to ${round.requests} responses`);
      return round;
    },
    stop: () => end(child),
  };
}

/** Resolves with undefined after the line `ready …`, or with the output if the process ended before. */
function ready(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let output = '';
    const collect = (chunk: Buffer) => {
      if (output.length < 100_000) output += chunk.toString();
      if (/^ready /m.test(output)) resolve(undefined);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('exit', () => resolve(output));
  });
}

/** Ends a process, by force if it has not ended after 15 seconds. */
export async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timeout = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await ended;
  clearTimeout(timeout);
}
