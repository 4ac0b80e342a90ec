// Caches the public keys of identity that verify access tokens. The set is fetched again when it is old or when a token names an unknown
// key, so that keys rotate without signing anybody out.

import type { Clock } from '@clinic/lib/clock/clock.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import type { Transport } from '@connectrpc/connect';
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import * as errors from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { call } from '../http/rpc.ts';

const MAX_AGE_MS = 5 * 60_000;
/** Limits how often tokens with made-up key ids cause a fetch. */
const MIN_FETCH_INTERVAL_MS = 5_000;

export type SigningKeys = {
  /** The key that a token's header names. Throws JWKSNoMatchingKey. */
  find: JWTVerifyGetKey;
  /** The key set (JWKS) as JSON text. */
  jwks(): Promise<string>;
  /** Increases whenever the set changes, so that tokens verified with an older set are verified again. */
  generation(): number;
};

export function createSigningKeys(identity: Transport, clock: Clock): SigningKeys {
  let text = '';
  let local: ReturnType<typeof createLocalJWKSet> | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let generation = 0;
  let fetching: Promise<void> | undefined;

  async function fetchKeys(): Promise<void> {
    const { jwks } = await call(identity, AccessService.method.listSigningKeys, {}, serviceCaller('gateway', ''));
    fetchedAt = clock.now().getTime();
    if (jwks === text) return;
    local = createLocalJWKSet(JSON.parse(jwks) as JSONWebKeySet);
    text = jwks;
    generation++;
  }
  const refresh = () => {
    fetching ??= fetchKeys().finally(() => {
      fetching = undefined;
    });
    return fetching;
  };
  async function current() {
    const age = clock.now().getTime() - fetchedAt;
    if (!local) await refresh();
    else if (age > MAX_AGE_MS) await refresh().catch(() => {}); // the cached keys stay valid while identity is unavailable
    return local ?? Promise.reject(new Error('identity has published no signing keys'));
  }

  return {
    async find(header, token) {
      const set = await current();
      try {
        return await set(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        if (set === local) {
          if (clock.now().getTime() - fetchedAt < MIN_FETCH_INTERVAL_MS) throw error;
          await refresh();
        }
        return (await current())(header, token); // if the set had already changed, another request fetched it meanwhile
      }
    },
    async jwks() {
      await current();
      return text;
    },
    generation: () => generation,
  };
}
