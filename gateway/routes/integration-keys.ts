import { SCOPES } from '@clinic/lib/formats/scopes.ts';
import { IntegrationKeyService } from '@clinic/proto/identity/v1/integration_key_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { instant, maybe, pages, text } from './schemas.ts';

const { method } = IntegrationKeyService;

export const integrationKeys = area({
  prefix: '/api/integration-keys',
  tag: 'Integration keys',
  about:
    'Keys for the programs of a clinic, sent as `Authorization: Bearer ck_…`. A key can do only what its scopes allow, and never acts as an admin; the reference names the scope of each route.',
  all: { scope: 'none' },
  routes: [
    { method: 'get', path: '/api/integration-keys', rpc: method.listIntegrationKeys, query: { ...pages } },
    {
      method: 'post',
      path: '/api/integration-keys',
      rpc: method.createIntegrationKey,
      body: { name: text(80), scopes: z.array(z.enum(SCOPES)).min(1, 'must not be empty').max(SCOPES.length), expiresAt: maybe(instant) },
      status: 201,
      errors: ['KEY_EXISTS'],
      example: { name: 'Contabilidad', scopes: ['payments:read', 'tax_documents:read'] },
    },
    { method: 'delete', path: '/api/integration-keys/:id', rpc: method.deleteIntegrationKey, notFound: 'Integration key not found' },
  ],
});
