// Checks the public ports before anything is started, so that a taken port is reported at once.
import net from 'node:net';
import { StartFault } from '../start-fault.ts';

export async function checkPorts(host: string, ports: Record<string, number>): Promise<void> {
  const seen = new Map<number, string>();
  for (const [setting, port] of Object.entries(ports)) {
    if (port === 0) continue;
    const other = seen.get(port);
    if (other) throw new StartFault(`${other} and ${setting} are both ${port}: set one of them to another port`);
    seen.set(port, setting);
    await check(host, setting, port);
  }
}

function check(host: string, setting: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', (error: NodeJS.ErrnoException) => reject(new StartFault(complaint(error.code, setting, port))));
    server.listen(port, host, () => server.close(() => resolve()));
  });
}

function complaint(code: string | undefined, setting: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} is taken: end what listens there, or set ${setting} to another port`;
  if (code === 'EACCES') return `Port ${port} may not be used by this user: set ${setting} to one above 1023`;
  return `Port ${port} cannot be used (${code}): check HOST and ${setting}`;
}
