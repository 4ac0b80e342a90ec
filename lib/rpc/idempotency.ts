// Idempotency keys: a repeated call with the same Idempotency-Key gets the first response again, and its work runs once.
import { createHash, hkdfSync } from 'node:crypto';
import { create, type DescMethodUnary, fromBinary, type Message, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { NamedKey } from '../config/config.ts';
import { decrypt, encrypt } from '../crypto/crypto.ts';
import { asSystem, type Db, execute, inTenant, row, type SystemTx, sql, type TenantTx, type Tx } from '../db/db.ts';
import { fail } from '../errors/errors.ts';
import { type Call, clinicOf } from './pipeline.ts';

type Response<M extends DescMethodUnary> = MessageInitShape<M['output']> | MessageShape<M['output']>;

/**
 * Runs `work` in a transaction of the caller's clinic. With an Idempotency-Key it runs once in 24 hours, and repeated calls get the first
 * response. Concurrent calls wait for the first. Nothing is stored when `work` throws.
 * Throws IDEMPOTENCY_KEY_REUSED when the key was used with another method or request.
 */
export function idempotent<M extends DescMethodUnary>(
  db: Db,
  call: Call,
  method: M,
  request: MessageShape<M['input']>,
  work: (tx: TenantTx) => Promise<MessageInitShape<M['output']>>,
): Promise<Response<M>> {
  const clinicId = clinicOf(call).id;
  return inTenant(db, clinicId, (tx) => runOnce(tx, clinicId, call.idempotencyKey, method, request, () => work(tx)));
}

const NO_CLINIC = '00000000-0000-0000-0000-000000000000';

/** The same for calls of operators, which belong to no clinic: runs `work` in a transaction of the system. */
export function idempotentForOperator<M extends DescMethodUnary>(
  db: Db,
  call: Call,
  method: M,
  request: MessageShape<M['input']>,
  work: (tx: SystemTx) => Promise<MessageInitShape<M['output']>>,
): Promise<Response<M>> {
  return asSystem(db, (tx) => runOnce(tx, NO_CLINIC, call.idempotencyKey, method, request, () => work(tx)));
}

// A second insert of the key waits until the first transaction ends. A key older than 24 hours is replaced.
const claimKey = sql(`
  insert into idempotency_keys as known (clinic_id, key, method, request_hash) values ($1, $2, $3, $4)
  on conflict (clinic_id, key) do update
    set method = excluded.method, request_hash = excluded.request_hash, response = null, created_at = now()
    where known.created_at < now() - interval '24 hours'`);
const findResponse = sql<{ request_hash: Buffer; response: Buffer | null }>(`
  select request_hash, response from idempotency_keys where clinic_id = $1 and key = $2 and method = $3`);
const storeResponse = sql('update idempotency_keys set response = $3 where clinic_id = $1 and key = $2');

async function runOnce<M extends DescMethodUnary>(
  tx: Tx,
  clinicId: string,
  idempotencyKey: string | undefined,
  method: M,
  request: MessageShape<M['input']>,
  work: () => Promise<MessageInitShape<M['output']>>,
): Promise<Response<M>> {
  if (idempotencyKey === undefined) return work();
  const name = `${method.parent.typeName}/${method.name}`;
  const { key, hash, ring } = deriveKeys(idempotencyKey, toBinary(method.input, request as Message));
  const context = `${clinicId}:${name}`;
  if ((await execute(tx, claimKey, [clinicId, key, name, hash])) === 0) {
    const first = await row(tx, findResponse, [clinicId, key, name]);
    if (!first?.response || !first.request_hash.equals(hash)) fail('IDEMPOTENCY_KEY_REUSED');
    return fromBinary(method.output, Buffer.from(decrypt(ring, first.response, context), 'base64')) as MessageShape<M['output']>;
  }
  const message = create(method.output, await work()) as MessageShape<M['output']>;
  const encrypted = encrypt(ring, Buffer.from(toBinary(method.output, message as Message)).toString('base64'), context);
  await execute(tx, storeResponse, [clinicId, key, encrypted]);
  return message;
}

/**
 * A stored response may contain personal data. So it is encrypted with a key derived from the idempotency key and the request, of which the
 * table has only hashes: the response cannot be read with the table alone.
 */
function deriveKeys(idempotencyKey: string, request: Uint8Array): { key: string; hash: Buffer; ring: NamedKey[] } {
  const secret = Buffer.concat([createHash('sha256').update(idempotencyKey).digest(), createHash('sha256').update(request).digest()]);
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `clinic idempotency ${purpose}`, 32));
  const key = Buffer.from(hkdfSync('sha256', idempotencyKey, '', 'clinic idempotency key', 32)).toString('base64url');
  return { key, hash: derive('request'), ring: [{ id: 'request', key: derive('answer') }] };
}
