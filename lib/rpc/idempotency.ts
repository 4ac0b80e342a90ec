// Idempotency keys: a repeated call with the same Idempotency-Key gets the response of the first one, and its work runs once.
import { hash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { create, type DescMethodUnary, fromBinary, type Message, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { decryptBytes, encrypt } from '../crypto/crypto.ts';
import { deriveKey } from '../crypto/derive-key.ts';
import { asSystem, type Db, execute, executeLast, inTenant, row, type SystemTx, sql, type TenantTx, type Tx } from '../db/db.ts';
import { fail } from '../errors/errors.ts';
import { NO_CLINIC } from '../formats/uuid.ts';
import { type Call, clinicOf } from './pipeline.ts';

type Response<M extends DescMethodUnary> = MessageInitShape<M['output']> | MessageShape<M['output']>;

/** How a long response is stored without the parts that can be read from other tables and never change. */
export type Abridged<M extends DescMethodUnary> = {
  shorten(response: MessageShape<M['output']>): MessageShape<M['output']>;
  /** Reverses shorten(). It must also accept a whole response, as earlier releases stored it. */
  restore(tx: TenantTx, stored: MessageShape<M['output']>): Promise<MessageShape<M['output']>>;
};

/**
 * Runs `work` in a transaction of the caller's clinic. With an Idempotency-Key it runs once in 24 hours; repeated calls get the response of the
 * first, and concurrent calls wait for it. Nothing is stored when `work` throws. `read` also runs for repeated calls, so it may only read and lock;
 * its first statements share a round trip with the lookup of the key. Throws IDEMPOTENCY_KEY_REUSED when the key was used with another method or
 * request.
 */
export function idempotent<M extends DescMethodUnary, R = undefined>(
  db: Db,
  call: Call,
  method: M,
  request: MessageShape<M['input']>,
  work: (tx: TenantTx, read: R) => Promise<MessageInitShape<M['output']>>,
  read: (tx: TenantTx) => Promise<R> = async () => undefined as R,
  abridged?: Abridged<M>,
): Promise<Response<M>> {
  const clinicId = clinicOf(call).id;
  const run = (tx: TenantTx) =>
    runOnce(
      tx,
      clinicId,
      call.idempotencyKey,
      method,
      request,
      (found: R) => work(tx, found),
      () => read(tx),
      abridged && { shorten: abridged.shorten, restore: (stored) => abridged.restore(tx, stored) },
    );
  return retried(() => inTenant(db, clinicId, run));
}

/**
 * idempotent() for calls without a clinic: runs `work` in a transaction of the system. The keys of each operator, and of each address from which
 * anonymous calls come, are separate.
 */
export function idempotentWithoutClinic<M extends DescMethodUnary>(
  db: Db,
  call: Call,
  method: M,
  request: MessageShape<M['input']>,
  work: (tx: SystemTx) => Promise<MessageInitShape<M['output']>>,
): Promise<Response<M>> {
  const { kind, id, ip } = call.caller;
  const { idempotencyKey } = call;
  const read = async () => undefined;
  return retried(() =>
    asSystem(db, async (tx) => {
      // Earlier releases stored the key alone.
      const isStoredAlone = idempotencyKey !== undefined && (await isRepeated(tx, idempotencyKey, method, request));
      const key = isStoredAlone || idempotencyKey === undefined ? idempotencyKey : `${kind} ${id || ip} ${idempotencyKey}`;
      return runOnce(tx, NO_CLINIC, key, method, request, () => work(tx), read);
    }),
  );
}

/**
 * Awaits what idempotent() needs but must not read within its transaction. Its work calls the function that is returned, which returns the value or throws
 * the error: a repeated request gets the first response, even if for example the patient was merged or erased since.
 */
export async function settled<T>(promise: Promise<T>): Promise<() => T> {
  const [result] = await Promise.allSettled([promise]);
  return () => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  };
}

async function isRepeated<M extends DescMethodUnary>(tx: SystemTx, idempotencyKey: string, method: M, request: MessageShape<M['input']>): Promise<boolean> {
  const { key, hash } = deriveKeys(idempotencyKey, toBinary(method.input, request as Message));
  const known = await row(tx, findResponse, [NO_CLINIC, key]);
  return known?.method === nameOf(method) && known.request_hash.equals(hash);
}

const nameOf = ({ parent, name }: DescMethodUnary) => `${parent.typeName}/${name}`;

// A concurrent call with the same key waits until the transaction of the first one ends, and then finds its response.
const lockKey = sql(`select pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0))`);
const findResponse = sql<{ method: string; request_hash: Buffer; response: Buffer | null; expired: boolean }>(`
  select method, request_hash, response, created_at < now() - interval '24 hours' as expired from idempotency_keys where clinic_id = $1 and key = $2`);
const insertResponse = sql('insert into idempotency_keys (clinic_id, key, method, request_hash, response) values ($1, $2, $3, $4, $5)');
const replaceResponse = sql(`
  update idempotency_keys set method = $3, request_hash = $4, response = $5, created_at = now() where clinic_id = $1 and key = $2`);

/** Runs the call again when a process of an earlier release, which does not take the lock, has stored a response for the key meanwhile. */
async function retried<R>(run: () => Promise<R>): Promise<R> {
  try {
    return await run();
  } catch (error) {
    if ((error as { constraint?: string }).constraint !== 'idempotency_keys_pkey') throw error;
    return run();
  }
}

async function runOnce<M extends DescMethodUnary, R>(
  tx: Tx,
  clinicId: string,
  idempotencyKey: string | undefined,
  method: M,
  request: MessageShape<M['input']>,
  work: (read: R) => Promise<MessageInitShape<M['output']>>,
  read: () => Promise<R>,
  abridged?: { shorten: Abridged<M>['shorten']; restore(stored: MessageShape<M['output']>): Promise<MessageShape<M['output']>> },
): Promise<Response<M>> {
  if (idempotencyKey === undefined) return work(await read());
  const name = nameOf(method);
  const { key, hash, answer } = deriveKeys(idempotencyKey, toBinary(method.input, request as Message));
  const context = `${clinicId}:${name}`;
  const [, known, found] = await Promise.all([execute(tx, lockKey, [clinicId, key]), row(tx, findResponse, [clinicId, key]), read()]);
  if (known && !known.expired) {
    if (known.method !== name || !known.response || !known.request_hash.equals(hash)) fail('IDEMPOTENCY_KEY_REUSED');
    const ring = [WHOLE, ABRIDGED, BASE64].map((id) => ({ id, key: answer }));
    const stored = fromBinary(method.output, decode(decryptBytes(ring, known.response, context))) as MessageShape<M['output']>;
    return abridged ? abridged.restore(stored) : stored;
  }
  const message = create(method.output, await work(found)) as MessageShape<M['output']>;
  const stored = abridged ? abridged.shorten(message) : message;
  const encrypted = encrypt([{ id: abridged ? ABRIDGED : WHOLE, key: answer }], encode(toBinary(method.output, stored as Message)), context);
  executeLast(tx, known ? replaceResponse : insertResponse, [clinicId, key, name, hash, encrypted]);
  return message;
}

// The key ids of stored responses, one for each format. A process of an earlier release that still runs fails to decrypt a response with a key id
// that it does not know, instead of misreading it.
const [WHOLE, ABRIDGED, BASE64] = ['response', 'abridged', 'request'];

// The first byte of a stored response. Base64, which earlier releases stored, contains neither.
const PLAIN = Buffer.from([0]);
const DEFLATED = Buffer.from([1]);
// Compression more than halves a plan or a chart. It would save 60 of the 230 bytes of a booking, which takes longer than writing them.
const DEFLATED_BYTES = 1_000;
// A small window and little memory take half the time.
const DEFLATE = { level: 1, windowBits: 12, memLevel: 5 };

const encode = (response: Uint8Array) =>
  response.length < DEFLATED_BYTES ? Buffer.concat([PLAIN, response]) : Buffer.concat([DEFLATED, deflateRawSync(response, DEFLATE)]);

function decode(stored: Buffer): Uint8Array {
  if (stored[0] === PLAIN[0]) return stored.subarray(1);
  return stored[0] === DEFLATED[0] ? inflateRawSync(stored.subarray(1)) : Buffer.from(stored.toString(), 'base64');
}

/**
 * A stored response may contain personal data, so it is encrypted with a key derived from the idempotency key and the request. The table contains
 * only hashes of these, from which the response cannot be decrypted.
 */
function deriveKeys(idempotencyKey: string, request: Uint8Array) {
  const secret = Buffer.concat([hash('sha256', idempotencyKey, 'buffer'), hash('sha256', request, 'buffer')]);
  const derive = (purpose: string) => deriveKey(secret, `clinic idempotency ${purpose}`);
  const key = deriveKey(idempotencyKey, 'clinic idempotency key').toString('base64url');
  return { key, hash: derive('request'), answer: derive('answer') };
}
