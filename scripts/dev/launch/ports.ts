// Chooses and checks the public ports before anything is started.
import { once } from 'node:events';
import net from 'node:net';
import { freePort } from '../../../lib/runtime/free-port.ts';
import { StartFault } from '../start-fault.ts';

/** The settings, with a free port for each public port that is 0. */
export async function withFreePorts(env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const chosen: NodeJS.ProcessEnv = {};
  for (const setting of ['PORT', 'ADMIN_PORT']) if (env[setting] === '0') chosen[setting] = String(await freePort());
  return { ...env, ...chosen };
}

/** Reports a port in use. */
export async function checkPorts(host: string, ports: Record<string, number>): Promise<void> {
  const seen = new Map<number, string>();
  for (const [setting, port] of Object.entries(ports)) {
    const other = seen.get(port);
    if (other) throw new StartFault(`${other} and ${setting} are both ${port}: set one of them to another port`);
    seen.set(port, setting);
    const server = net.createServer().listen(port, host);
    await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
      throw new StartFault(complaint(error.code, setting, port));
    });
    await new Promise((resolve) => server.close(resolve));
  }
}

function complaint(code: string | undefined, setting: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} is in use: stop the program that listens on it, or set ${setting} to another port`;
  if (code === 'EACCES') return `This user may not listen on port ${port}: set ${setting} to a port above 1023`;
  return `Port ${port} cannot be used (${code}): check HOST and ${setting}`;
}
