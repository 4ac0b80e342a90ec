// A nats-server that keeps its connections but does not respond is killed and restarted.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { connectNats, ensureStream } from '@clinic/lib/events/nats.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { tempFolder } from '../temp-folder.ts';
import { startNats } from './nats.ts';

test('a server that does not respond is restarted, and its clients continue', async () => {
  const folder = tempFolder('silent-nats');
  const printed: string[] = [];
  const server = await startNats({ dataDir: folder, print: (line) => printed.push(line) });
  const nats = connectNats(server.urlOf('scheduling'), 'scheduling', createLog('test', 'silent'));
  const stream = async () => {
    const connection = await nats.connected();
    if (!connection) throw new Error('NATS is not connected');
    return ensureStream(await connection.jetstreamManager({ checkAPI: false }));
  };
  const pid = () => Number(readFileSync(path.join(folder, 'nats/nats.pid'), 'utf8'));
  const { created } = await stream();
  const frozen = pid();
  process.kill(frozen, 'SIGSTOP');
  try {
    await waitFor(() => pid() !== frozen, 40_000);
    expect((await waitFor(stream)).created).toBe(created);
    expect(printed).toContain('NATS does not respond to JetStream requests; it is killed and restarted');
  } finally {
    await nats.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
