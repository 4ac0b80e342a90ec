// The error of a connection that fails says which server could not be reached.
import { once } from 'node:events';
import net from 'node:net';
import { expect, test } from '@jest/globals';
import { connect } from './database.ts';

const urlOf = (port: number) => `postgres://owner:secret-word@127.0.0.1:${port}/clinic`;
const ADVICE = 'check the address in its URL, that it runs, and that the network allows the connection';

test('a server that refuses connections is named', async () => {
  await expect(connect(urlOf(1))).rejects.toMatchObject({
    code: 'ECONNREFUSED',
    message: `PostgreSQL at 127.0.0.1:1 cannot be reached (connect ECONNREFUSED 127.0.0.1:1): ${ADVICE}`,
  });
});

test('a server that does not answer is named', async () => {
  const silent = net.createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as net.AddressInfo;
  await expect(connect(urlOf(port), { connectionTimeoutMillis: 50 })).rejects.toThrow(
    `PostgreSQL at 127.0.0.1:${port} cannot be reached (timeout expired): ${ADVICE}`,
  );
  silent.close();
});
