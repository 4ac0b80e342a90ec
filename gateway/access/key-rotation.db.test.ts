// Signing keys rotate while requests arrive: no request fails, whichever key signed its token.
import { generateKeyPairSync } from 'node:crypto';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { expect, test } from '@jest/globals';
import { startTestGateway } from '../testing/test-gateway.ts';
import { createSigningKeys } from './signing-keys.ts';

test('requests succeed during key rotations, whichever key signed their token', async () => {
  const clock = manualClock(new Date());
  const gateway = await startTestGateway({}, clock);
  const tokens = [await gateway.token()];
  const statuses = new Set<number>();
  const send = async (token: string) =>
    void statuses.add((await fetch(`${gateway.url}/api/auth/me`, { headers: { authorization: `Bearer ${token}` } })).status);
  const burst = (each: number) => Promise.all(tokens.flatMap((token) => Array.from({ length: each }, () => send(token))));
  for (let rotation = 0; rotation < 10; rotation++) {
    const running = burst(5);
    clock.advance(6_000); // keys are fetched at most every five seconds
    gateway.rotate();
    // Each token is verified on its own: the cache of verified tokens does not help.
    for (let index = 0; index < 15; index++) tokens.push(await gateway.token({ jti: `${rotation}-${index}` }));
    await Promise.all([running, burst(1)]);
    tokens.splice(1, tokens.length - 16);
  }
  await gateway.stop();
  expect([...statuses]).toEqual([200]);
});

test('a key is found by lookups that begin while it is being fetched', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const published: object[] = [];
  const publish = (kid: string) => published.push({ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' });
  const listSigningKeys = async () => ({ jwks: JSON.stringify({ keys: published }) });
  const identity = implement({ log: createLog('test', 'silent'), constraints: {} }, AccessService, {
    listSigningKeys,
    resolveAccess: listSigningKeys,
    resolveAccessOfMany: listSigningKeys,
    resolveClinic: listSigningKeys,
    resolveKey: listSigningKeys,
    getOperatingState: listSigningKeys,
  } as never);
  const clock = manualClock(new Date());
  const keys = createSigningKeys(localTransport([identity]), clock);
  const find = (kid: string) => keys.find({ alg: 'ES256', kid }, { payload: '', signature: '' });
  publish('old');
  await find('old');
  clock.advance(6_000);
  publish('new');
  const lookups: Promise<unknown>[] = [];
  for (let step = 0; step < 200; step++) {
    lookups.push(Promise.resolve(find('new')));
    await Promise.resolve();
  }
  expect((await Promise.allSettled(lookups)).filter(({ status }) => status === 'rejected')).toEqual([]);
});
