// The public keys that verify access tokens. They change only when the service restarts.
import type { ListSigningKeysRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';

export async function listSigningKeys(app: App, _request: ListSigningKeysRequest) {
  return { jwks: app.accessTokens.jwks };
}
