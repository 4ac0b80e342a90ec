// Integration keys of a clinic: created by admins, shown once, revoked.
import { hash, randomBytes } from 'node:crypto';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { toSingleLine } from '@clinic/lib/formats/person-name.ts';
import { SCOPES } from '@clinic/lib/formats/scopes.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { toDate } from '@clinic/lib/formats/timestamp.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { CreateIntegrationKeyRequest, DeleteIntegrationKeyRequest, ListIntegrationKeysRequest } from '@clinic/proto/identity/v1/integration_key_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { insertKey, listKeys, revokeExpired, revokeKey } from './integration-keys.sql.ts';

export async function listIntegrationKeys(app: App, request: ListIntegrationKeysRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { rows, total } = await listKeys(app.db, clinicOf(call).id, limit, offset);
  return { keys: rows.map(toFields), total, page, limit };
}

/** The number of characters of a key that are stored as plaintext. */
const PREFIX_LENGTH = 7;

/** Ignores an Idempotency-Key, because a response that contains the key must not be stored. */
export async function createIntegrationKey(app: App, request: CreateIntegrationKeyRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const now = app.clock.now();
  const name = toSingleLine(parseText('name', request.name, 80));
  const scopes = parseScopes(request.scopes);
  const expires_at = parseExpiry(request.expiresAt, now);
  const key = `ck_${randomBytes(32).toString('base64url')}`;
  const wanted = {
    id: v7(),
    name,
    prefix: key.slice(0, PREFIX_LENGTH),
    hash: hash('sha256', key, 'buffer'),
    scopes,
    created_by: call.caller.id,
    created_at: now,
    expires_at,
  };
  return inTenant(app.db, clinicId, async (tx) => {
    const expired = await revokeExpired(tx, name, now);
    if (expired) await audit(tx, clinicId, call.caller, { action: 'integration_key.revoked', entityId: expired });
    const created = await insertKey(tx, wanted);
    await audit(tx, clinicId, call.caller, { action: 'integration_key.created', entityId: created.id, changes: { name, scopes, expires_at } });
    return { ...toFields(created), key };
  });
}

function parseScopes(scopes: string[]): string[] {
  if (scopes.length === 0) invalid('scopes', 'must not be empty');
  return [...new Set(scopes.map((scope, index) => parseOneOf(`scopes.${index}`, scope, SCOPES)))].sort();
}

function parseExpiry(expiresAt: Timestamp | undefined, now: Date): Date | null {
  const at = toDate(expiresAt);
  return at && at <= now ? invalid('expiresAt', 'must be in the future') : at;
}

export async function deleteIntegrationKey(app: App, { id }: DeleteIntegrationKeyRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(id)) fail('NOT_FOUND', 'Integration key not found');
  return inTenant(app.db, clinicId, async (tx) => {
    if (!(await revokeKey(tx, id, app.clock.now()))) fail('NOT_FOUND', 'Integration key not found');
    await audit(tx, clinicId, call.caller, { action: 'integration_key.revoked', entityId: id });
    return { message: 'Integration key revoked' };
  });
}
