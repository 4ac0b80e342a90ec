// Checks the public ports before anything is started, so that a port in use is reported immediately.
import { once } from 'node:events';
import net from 'node:net';
import { StartFault } from '../start-fault.ts';

export async function checkPorts(host: string, ports: Record<string, number>): Promise<void> {
  const seen = new Map<number, string>();
  for (const [setting, port] of Object.entries(ports)) {
    if (port === 0) continue;
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
