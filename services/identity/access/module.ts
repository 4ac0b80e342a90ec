// The access check of each request, and the keys that verify access tokens.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { resolveAccess, resolveAccessOfMany, resolveKey } from './resolve-access.ts';
import { resolveClinic } from './resolve-clinic.ts';

const listSigningKeys = async ({ accessTokens: { jwks } }: App) => ({ jwks });

export const access: Module<App> = {
  rpcs: [rpcs(AccessService, { resolveAccess, resolveAccessOfMany, resolveClinic, resolveKey, listSigningKeys })],
};
