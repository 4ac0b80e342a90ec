// A creating call that is repeated with its Idempotency-Key gets its first answer again; the work is done once.
import { createHash, hkdfSync } from 'node:crypto';
import { create, type DescMethodUnary, fromBinary, type Message, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { NamedKey } from '../config/config.ts';
import { decrypt, encrypt } from '../crypto/crypto.ts';
import { asSystem, type Db, execute, inTenant, row, type SystemTx, sql, type TenantTx, type Tx } from '../db/db.ts';
import { fail } from '../errors/errors.ts';
import { type Call, clinicOf } from './pipeline.ts';

type Answer<M extends DescMethodUnary> = MessageInitShape<M['output']> | MessageShape<M['output']>;

/**
 * Runs `work` in a transaction of the caller's clinic; with an Idempotency-Key only once in 24 hours, and a repeat gets
 * the first answer. Racing repeats wait for the first. Nothing is kept when `work` throws.
 * Throws IDEMPOTENCY_KEY_REUSED when the key came before with another method or request.
 */
export function idempotent<M extends DescMethodUnary>(
  db: Db,
  call: Call,
  method: M,
  request: MessageShape<M['input']>,
  work: (tx: TenantTx) => Promise<MessageInitShape<M['output']>>,
): Promise<Answer<M>> {
  const clinicId = clinicOf(call).id;
  return inTenant(db, clinicId, (tx) => answer(tx, clinicId, call.idempotencyKey, method, request, () => work(tx)));
}

const NO_CLINIC = '00000000-0000-0000-0000-000000000000';

/** The same for operators, whose calls belong to no clinic: in a transaction of the system. */
export function idempotentForOperator<M extends DescMethodUnary>(
  db: Db,
  call: Call,
  method: M,
  request: MessageShape<M['input']>,
  work: (tx: SystemTx) => Promise<MessageInitShape<M['output']>>,
): Promise<Answer<M>> {
  return asSystem(db, (tx) => answer(tx, NO_CLINIC, call.idempotencyKey, method, request, () => work(tx)));
}

// A second insert of the key waits here until the first transaction ends. A key older than 24 hours is as good as absent.
const claimKey = sql(`
  insert into idempotency_keys as known (clinic_id, key, method, request_hash) values ($1, $2, $3, $4)
  on conflict (clinic_id, key) do update
    set method = excluded.method, request_hash = excluded.request_hash, response = null, created_at = now()
    where known.created_at < now() - interval '24 hours'`);
const findAnswer = sql<{ request_hash: Buffer; response: Buffer | null }>(`
  select request_hash, response from idempotency_keys where clinic_id = $1 and key = $2 and method = $3`);
const storeAnswer = sql('update idempotency_keys set response = $3 where clinic_id = $1 and key = $2');

async function answer<M extends DescMethodUnary>(
  tx: Tx,
  clinicId: string,
  idempotencyKey: string | undefined,
  method: M,
  request: MessageShape<M['input']>,
  work: () => Promise<MessageInitShape<M['output']>>,
): Promise<Answer<M>> {
  if (idempotencyKey === undefined) return work();
  const name = `${method.parent.typeName}/${method.name}`;
  const { key, hash, ring } = disguise(idempotencyKey, toBinary(method.input, request as Message));
  const context = `${clinicId}:${name}`;
  if ((await execute(tx, claimKey, [clinicId, key, name, hash])) === 0) {
    const first = await row(tx, findAnswer, [clinicId, key, name]);
    if (!first?.response || !first.request_hash.equals(hash)) fail('IDEMPOTENCY_KEY_REUSED');
    return fromBinary(method.output, Buffer.from(decrypt(ring, first.response, context), 'base64')) as MessageShape<M['output']>;
  }
  const message = create(method.output, await work()) as MessageShape<M['output']>;
  const sealed = encrypt(ring, Buffer.from(toBinary(method.output, message as Message)).toString('base64'), context);
  await execute(tx, storeAnswer, [clinicId, key, sealed]);
  return message;
}

/**
 * An answer may hold personal data, and request and key are all that a repeat brings. So the table knows both only by
 * their hashes, and the answer is sealed under a key made of them: whoever reads the table cannot read the answer.
 */
function disguise(idempotencyKey: string, request: Uint8Array): { key: string; hash: Buffer; ring: NamedKey[] } {
  const secret = Buffer.concat([createHash('sha256').update(idempotencyKey).digest(), createHash('sha256').update(request).digest()]);
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `clinic idempotency ${purpose}`, 32));
  const key = Buffer.from(hkdfSync('sha256', idempotencyKey, '', 'clinic idempotency key', 32)).toString('base64url');
  return { key, hash: derive('request'), ring: [{ id: 'request', key: derive('answer') }] };
}
