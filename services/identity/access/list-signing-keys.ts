// The public keys that verify access tokens. They change with a restart only, so the text was made at start.
import type { ListSigningKeysRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';

export async function listSigningKeys(app: App, _request: ListSigningKeysRequest) {
  return { jwks: app.accessTokens.jwks };
}
