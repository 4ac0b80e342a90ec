// Integration keys: opaque tokens of a clinic's programs, which identity looks up by their hash on each request.
import { hash } from 'node:crypto';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { AccessService, type ResolvedKey } from '@clinic/proto/identity/v1/access_pb.js';
import type { Transport } from '@connectrpc/connect';
import { call } from '../http/rpc.ts';

/** The SHA-256 of the integration key in an Authorization header, in base64; undefined when there is none. */
export function keyHashOf(authorization: string | undefined): string | undefined {
  const [, key] = /^bearer +(ck_[\w-]{1,200})$/i.exec(authorization ?? '') ?? [];
  return key === undefined ? undefined : hash('sha256', key, 'base64');
}

/** Undefined when the key is unknown, revoked or expired. */
export type ResolveKey = (keyHash: string, requestId: string) => Promise<ResolvedKey | undefined>;

export function createResolveKey(identity: Transport): ResolveKey {
  return async (keyHash, requestId) => {
    const request = { keyHash: Buffer.from(keyHash, 'base64') };
    return (await call(identity, AccessService.method.resolveKey, request, serviceCaller('gateway', requestId))).key;
  };
}
