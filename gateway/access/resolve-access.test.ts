import { ServiceError } from '@clinic/lib/errors/errors.ts';
import type { ResolveAccessOfManyRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { Transport } from '@connectrpc/connect';
import { expect, test } from '@jest/globals';
import { createResolveAccess } from './resolve-access.ts';

/** A fake identity that records the users of each RPC and lets the test complete or fail it. */
function recorded() {
  const calls: { users: string[]; answer: () => void; fail: () => void }[] = [];
  const unary = (_method: unknown, _signal: unknown, _timeout: unknown, _header: unknown, { subjects }: ResolveAccessOfManyRequest) =>
    new Promise((resolve, reject) =>
      calls.push({
        users: subjects.map(({ userId }) => userId),
        answer: () => resolve({ message: { answers: subjects.map(({ userId }) => ({ state: { appRole: `role of ${userId}` } })) } }),
        fail: () => reject(new ServiceError('UNAVAILABLE')),
      }),
    );
  const resolveAccess = createResolveAccess({ unary } as unknown as Transport);
  const check = async (userId: string) => (await resolveAccess({ userId, clinicId: '', sessionId: '', expires: 0 }, 'request'))?.appRole;
  return { check, call: (index: number) => until(() => calls[index]), count: () => calls.length };
}

async function until<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

test('checks that arrive during an RPC share the next one', async () => {
  const { check, call, count } = recorded();
  const roles = ['a', 'b', 'c'].map(check);
  expect([count(), (await call(0)).users]).toEqual([1, ['a']]);
  (await call(0)).answer();
  expect((await call(1)).users).toEqual(['b', 'c']);
  (await call(1)).answer();
  expect(await Promise.all(roles)).toEqual(['role of a', 'role of b', 'role of c']);
});

test('checks do not wait for RPCs that are stuck, however many there are', async () => {
  const { check, call } = recorded();
  const stuck = [check('a'), check('b')];
  await call(1); // both lanes wait for an RPC
  const late = check('c');
  (await call(2)).answer();
  expect(await late).toBe('role of c');
  for (const index of [0, 1]) (await call(index)).fail();
  for (const one of stuck) await expect(one).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  const next = ['d', 'e'].map(check);
  (await call(3)).answer();
  (await call(4)).answer();
  expect(await Promise.all(next)).toEqual(['role of d', 'role of e']);
});

test('a slow RPC delays no other checks, and its failure affects only its own checks', async () => {
  const { check, call } = recorded();
  const [first, second] = [check('a'), check('b')];
  (await call(1)).answer();
  expect(await second).toBe('role of b');
  const third = check('c');
  (await call(2)).answer();
  expect(await third).toBe('role of c');
  (await call(0)).fail();
  await expect(first).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
});
