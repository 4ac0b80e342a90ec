import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createPost, type Resolve } from './post.ts';
import { isPublicAddress } from './public-address.ts';

test.each(['8.8.8.8', '190.86.1.1', '2606:4700:4700::1111', '2800:3f0:4001::1'])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ...['127.0.0.1', '127.255.255.254', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '255.255.255.255'],
  ...['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1'],
  ...['::', '::1', 'fe80::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::127.0.0.1'],
  ...['64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2001:0:1::1', '2001:db8::1', '100::1', 'fe80::1%eth0', 'localhost', ''],
])('%s is not', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

describe('a delivery', () => {
  let connections = 0;
  let port = 0;
  const server = createServer((request, response) => {
    if (request.url === '/moved') return response.writeHead(302, { location: '/' }).end();
    return response.end('x'.repeat(5_000));
  });
  server.on('connection', () => connections++);
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => void server.close());

  async function send(url: string, options: Parameters<typeof createPost>[0]) {
    const post = createPost(options);
    try {
      return await post(url, {}, '{}');
    } finally {
      await post.close();
    }
  }

  test('never connects to a private address, however the URL or DNS represents it', async () => {
    const hosts = ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0177.0.0.1', '169.254.169.254', '[fe80::1]'];
    for (const host of hosts)
      expect(await send(`https://${host}:${port}/`, { allowPrivate: false })).toMatchObject({ status: null, error: 'ADDRESS_NOT_ALLOWED' });
    const answers = [
      [{ address: '127.0.0.1', family: 4 }],
      [{ address: '::1', family: 6 }],
      [
        { address: '8.8.8.8', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ],
    ];
    for (const answer of answers)
      expect(await send(`https://example.com:${port}/`, { allowPrivate: false, resolve: async () => answer })).toMatchObject({ error: 'ADDRESS_NOT_ALLOWED' });
    expect(connections).toBe(0);
  });

  test('is refused if the name resolves to another address than before', async () => {
    const answers = ['127.0.0.1', '10.0.0.1'];
    const resolve: Resolve = async () => [{ address: answers.shift() as string, family: 4 }];
    const post = createPost({ allowPrivate: false, resolve });
    for (const left of [1, 0]) {
      expect(await post(`https://example.com:${port}/`, {}, '{}')).toMatchObject({ error: 'ADDRESS_NOT_ALLOWED' });
      expect(answers).toHaveLength(left); // resolved once for each connection
    }
    await post.close();
    expect(connections).toBe(0);
  });

  test('follows no redirect, and stores the first kilobyte of the response', async () => {
    expect(await send(`http://127.0.0.1:${port}/moved`, { allowPrivate: true })).toMatchObject({ status: 302 });
    expect(await send(`http://127.0.0.1:${port}/`, { allowPrivate: true })).toMatchObject({ status: 200, body: 'x'.repeat(1_024), error: null });
  });

  test('in plain HTTP is refused outside development', async () => {
    expect(await send('http://example.com/', { allowPrivate: false })).toMatchObject({ error: 'ADDRESS_NOT_ALLOWED' });
  });
});
