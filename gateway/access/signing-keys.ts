// The public keys that verify access tokens, as identity publishes them. Kept here, asked for again when they are old or
// when a token names a key that is not among them, so that keys rotate without logging anybody out.

import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import type { Clock } from '@clinic/lib/runtime/clock.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import type { Transport } from '@connectrpc/connect';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { call } from '../http/rpc.ts';

const OLD_MS = 5 * 60_000;
/** A flood of tokens with invented keys asks identity no more often than this. */
const PAUSE_MS = 5_000;

export type SigningKeys = {
  /** Finds the key of a token's header. Throws JWKSNoMatchingKey. */
  find: JWTVerifyGetKey;
  /** The key set as JSON text. */
  jwks(): Promise<string>;
  /** Grows whenever the set has changed: what an older set has verified is verified anew. */
  generation(): number;
};

export function createSigningKeys(identity: Transport, clock: Clock): SigningKeys {
  let text = '';
  let local: ReturnType<typeof createLocalJWKSet> | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let generation = 0;
  let asking: Promise<void> | undefined;

  async function fetch(): Promise<void> {
    const { jwks } = await call(identity, AccessService.method.listSigningKeys, {}, serviceCaller('gateway', ''));
    fetchedAt = clock.now().getTime();
    if (jwks === text) return;
    local = createLocalJWKSet(JSON.parse(jwks) as JSONWebKeySet);
    text = jwks;
    generation++;
  }
  const refresh = () => {
    asking ??= fetch().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  async function current() {
    const age = clock.now().getTime() - fetchedAt;
    if (!local) await refresh();
    else if (age > OLD_MS) await refresh().catch(() => {}); // the keys at hand still hold while identity is away
    return local ?? Promise.reject(new Error('identity has published no keys'));
  }

  return {
    async find(header, token) {
      try {
        return await (await current())(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || clock.now().getTime() - fetchedAt < PAUSE_MS) throw error;
        await refresh();
        return (await current())(header, token);
      }
    },
    async jwks() {
      await current();
      return text;
    },
    generation: () => generation,
  };
}
