// Keys with which the programs of a clinic call the API.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { IntegrationKeyService } from '@clinic/proto/identity/v1/integration_key_pb.js';
import type { App } from '../app.ts';
import { createIntegrationKey, deleteIntegrationKey, listIntegrationKeys } from './manage-keys.ts';

export const integrationKeys: Module<App> = {
  rpcs: [rpcs(IntegrationKeyService, { listIntegrationKeys, createIntegrationKey, deleteIntegrationKey })],
  personal: [{ table: 'integration_keys', secret: ['key_hash'] }],
};
