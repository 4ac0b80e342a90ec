// What identity keeps sealed, for the rotation of keys.
import type { SealedColumn } from '@clinic/lib/reseal.ts';
import { requestContext, tokenContext } from './recovery/seal-contexts.ts';
import { successorContext } from './sessions/refresh-tokens.sql.ts';

export default [
  {
    table: 'refresh_tokens',
    key: ['clinic_id', 'family_id', 'token_hash'],
    column: 'successor_sealed',
    context: ({ clinic_id, token_hash }) => successorContext(clinic_id, token_hash),
  },
  { table: 'password_recoveries', key: ['clinic_id', 'id'], column: 'token_sealed', context: ({ clinic_id, id }) => tokenContext(clinic_id, id) },
  { table: 'recovery_requests', key: ['id'], column: 'email_sealed', context: ({ id }) => requestContext(id) },
] satisfies SealedColumn[];
