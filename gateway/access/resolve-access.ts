// Gets the live access state of a token's user from identity. Concurrent requests share one RPC, so that under load an access check costs a
// fraction of an RPC; the state is always read after the request has arrived.

import { fail } from '@clinic/lib/errors/errors.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { AccessService, type AccessState } from '@clinic/proto/identity/v1/access_pb.js';
import type { Transport } from '@connectrpc/connect';
import { call } from '../http/rpc.ts';
import type { Claims } from './tokens.ts';

type Pending = Claims & { requestId: string; resolve: (state: AccessState | undefined) => void; reject: (error: unknown) => void };

/** Undefined when the user no longer exists. */
export type ResolveAccess = (claims: Claims, requestId: string) => Promise<AccessState | undefined>;

/** Requests that arrive during an RPC share the next one. When an RPC is slow, a second one does not wait for it. */
const MAX_CALLS = 2;
const SLOW_MS = 5;
/** An RPC that takes this long no longer counts as one of MAX_CALLS: while identity or its database is frozen, checks fail after one time limit, not two. */
const STUCK_MS = 250;
const MAX_SUBJECTS = 200;
const MAX_WAITING = 5_000;

export function createResolveAccess(identity: Transport): ResolveAccess {
  const waiting: Pending[] = [];
  let calls = 0;
  let quickCalls = 0;

  async function resolveBatch(batch: Pending[], onStuck: () => void): Promise<void> {
    const subjects = batch.map(({ userId, clinicId, sessionId }) => ({ userId, clinicId, sessionId }));
    quickCalls++;
    let isQuick = true;
    const slow = setTimeout(() => {
      isQuick = false;
      quickCalls--;
      begin();
    }, SLOW_MS);
    const stuck = setTimeout(onStuck, STUCK_MS);
    try {
      const caller = serviceCaller('gateway', batch[0]?.requestId ?? '');
      const { answers } = await call(identity, AccessService.method.resolveAccessOfMany, { subjects }, caller);
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index]?.state);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      clearTimeout(slow);
      clearTimeout(stuck);
      if (isQuick) quickCalls--;
    }
  }

  function begin(): void {
    if (waiting.length > 0 && quickCalls === 0 && calls < MAX_CALLS) void resolveWaiting();
  }

  async function resolveWaiting(): Promise<void> {
    calls++;
    let counts = true;
    const leave = () => {
      if (counts) calls--;
      counts = false;
    };
    const onStuck = () => {
      leave();
      begin();
    };
    while (counts && waiting.length > 0) await resolveBatch(waiting.splice(0, MAX_SUBJECTS), onStuck);
    leave();
  }

  return (claims, requestId) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= MAX_WAITING) fail('UNAVAILABLE');
      waiting.push({ ...claims, requestId, resolve, reject });
      begin();
    });
}
