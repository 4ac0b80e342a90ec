// Asks identity who a token's user is now. Questions that come together share one call: under load an access check costs
// a fraction of a hop, and each answer is still read after its request arrived.

import { fail } from '@clinic/lib/errors/errors.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { AccessService, type AccessState } from '@clinic/proto/identity/v1/access_pb.js';
import type { Transport } from '@connectrpc/connect';
import { call } from '../http/rpc.ts';
import type { Claims } from './tokens.ts';

type Question = Claims & { requestId: string; resolve: (state: AccessState | undefined) => void; reject: (error: unknown) => void };

/** Undefined when the user is gone. */
export type ResolveAccess = (claims: Claims, requestId: string) => Promise<AccessState | undefined>;

/** Calls under way; what comes meanwhile waits for the next. */
const AT_ONCE = 2;
const MOST = 200;
const WAITING = 5_000;

export function createResolveAccess(identity: Transport): ResolveAccess {
  const waiting: Question[] = [];
  let underWay = 0;

  async function ask(questions: Question[]): Promise<void> {
    const subjects = questions.map(({ userId, clinicId, sessionId }) => ({ userId, clinicId, sessionId }));
    try {
      const caller = serviceCaller('gateway', questions[0]?.requestId ?? '');
      const { answers } = await call(identity, AccessService.method.resolveAccessOfMany, { subjects }, caller);
      for (const [index, { resolve }] of questions.entries()) resolve(answers[index]?.state);
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  }

  async function work(): Promise<void> {
    underWay++;
    while (waiting.length > 0) await ask(waiting.splice(0, MOST));
    underWay--;
  }

  return (claims, requestId) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= WAITING) fail('UNAVAILABLE');
      waiting.push({ ...claims, requestId, resolve, reject });
      if (underWay < AT_ONCE) void work();
    });
}
