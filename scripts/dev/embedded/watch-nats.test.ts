// A nats-server that keeps its connections and answers nothing is killed and started again.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { connectNats, ensureStream } from '@clinic/lib/events/nats.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { tempFolder } from '../temp-folder.ts';
import { startNats } from './nats.ts';

test('a silent server is replaced, and its clients go on', async () => {
  const folder = tempFolder('silent-nats');
  const said: string[] = [];
  const server = await startNats({ dataDir: folder, say: (line) => said.push(line) });
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
    expect(said).toContain('NATS answers no request to JetStream; it is killed and started again');
  } finally {
    await nats.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
