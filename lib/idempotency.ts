// A creating call that is repeated with its Idempotency-Key gets its first answer again; the work is done once.
import type { DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { type Db, type SystemTx, type TenantTx, asSystem, inTenant } from './db.ts';
import { type Call, clinicOf } from './rpc/pipeline.ts';

type Answer<M extends DescMethodUnary> = MessageInitShape<M['output']> | MessageShape<M['output']>;

/** Runs `work` in the caller's clinic, once per Idempotency-Key. */
export async function once<M extends DescMethodUnary>(
  db: Db,
  call: Call,
  _method: M,
  _request: MessageShape<M['input']>,
  work: (tx: TenantTx) => Promise<MessageInitShape<M['output']>>,
): Promise<Answer<M>> {
  return inTenant(db, clinicOf(call).id, work);
}

/** The same for operators, whose calls belong to no clinic. */
export async function onceForOperator<M extends DescMethodUnary>(
  db: Db,
  _call: Call,
  _method: M,
  _request: MessageShape<M['input']>,
  work: (tx: SystemTx) => Promise<MessageInitShape<M['output']>>,
): Promise<Answer<M>> {
  return asSystem(db, work);
}
