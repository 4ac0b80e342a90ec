// The error of a statement says which PostgreSQL could not be reached.
import { once } from 'node:events';
import net from 'node:net';
import { expect, test } from '@jest/globals';
import { toServiceError } from '../errors/errors.ts';
import { createLog } from '../telemetry/log.ts';
import { closeDb, openDb, readSystem, sql } from './db.ts';

const ADVICE = 'check the address in its URL, that it runs, and that the network allows the connection';

async function failureAt(port: number, connectMs = 300_000): Promise<Error> {
  const url = `postgres://owner:secret-word@127.0.0.1:${port}/clinic`;
  const db = openDb({ DATABASE_URL: url, DATABASE_SYSTEM_URL: url }, { schema: 'identity', max: 1, log: createLog('test', 'silent'), connectMs });
  const failure = await readSystem(db, sql('select'), []).catch((error) => error);
  await closeDb(db);
  return failure;
}

test('a server that refuses connections is named', async () => {
  const failure = await failureAt(1);
  expect(failure.message).toBe(`PostgreSQL at 127.0.0.1:1 cannot be reached (connect ECONNREFUSED 127.0.0.1:1): ${ADVICE}`);
  expect(toServiceError(failure, {}).reason).toBe('UNAVAILABLE');
});

test('a server that does not answer is named', async () => {
  const silent = net.createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as net.AddressInfo;
  const failure = await failureAt(port, 50);
  expect(failure.message).toMatch(new RegExp(`^PostgreSQL at 127.0.0.1:${port} cannot be reached \\(.*timeout.*\\): ${ADVICE}$`));
  expect(toServiceError(failure, {}).reason).toBe('UNAVAILABLE');
  silent.close();
});
