// Proposals of the assistant. Each is shown to one user, who confirms or rejects it once.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import { execute, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { hasPassed } from '@clinic/lib/db/has-passed.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { Proposal } from '../rules/proposal.ts';

export type ActionRow = {
  id: string;
  kind: Proposal['kind'];
  status: 'proposed' | 'executing' | 'confirmed' | 'rejected' | 'failed';
  payload_sealed: Buffer;
  failure: string | null;
  result_id: string | null;
  created_at: Date;
  expires_at: Date;
  decided_at: Date | null;
};

export const payloadContext = (id: string) => `assistant_actions/${id}`;

export const proposalOf = (keys: NamedKey[], { id, payload_sealed }: ActionRow) => JSON.parse(decrypt(keys, payload_sealed, payloadContext(id))) as Proposal;

export function toAction(keys: NamedKey[], action: ActionRow, now: Date) {
  const isExpired = action.status === 'proposed' && action.expires_at <= now;
  return { ...toFields(action), summary: proposalOf(keys, action).summary, status: isExpired ? 'expired' : action.status };
}

const COLUMNS = 'id, kind, status, payload_sealed, failure, result_id, created_at, expires_at, decided_at';

const insertStatement = sql(`
  insert into assistant_actions (clinic_id, id, conversation_id, user_id, kind, status, payload_sealed, created_at, expires_at)
  values ($1, $2, $3, $4, $5, 'proposed', $6, $7, $8)`);

type NewAction = { id: string; conversationId: string; userId: string; kind: ActionRow['kind']; payload: string; expiresAt: Date };

export async function insertAction(tx: TenantTx, keys: NamedKey[], action: NewAction, now: Date): Promise<void> {
  const { id, conversationId, userId, kind, payload, expiresAt } = action;
  await execute(tx, insertStatement, [tx.clinicId, id, conversationId, userId, kind, encrypt(keys, payload, payloadContext(id)), now, expiresAt]);
}

const findStatement = sql<ActionRow>(`select ${COLUMNS} from assistant_actions where clinic_id = $1 and id = $2 and user_id = $3`);

/** Undefined if the proposal does not exist or was made to another user. */
export const findAction = (tx: TenantTx, id: string, userId: string) => row(tx, findStatement, [tx.clinicId, id, userId]);

const claimStatement = sql<ActionRow>(`
  update assistant_actions set status = 'executing', decided_at = $4
  where clinic_id = $1 and id = $2 and user_id = $3 and ((status = 'proposed' and expires_at > $4)
    or (status = 'executing' and ${hasPassed('decided_at', '$5::timestamptz', '1 minute')} and decided_at > $4 - interval '23 hours'))
  returning ${COLUMNS}`);

/**
 * Claims the proposal for execution; only one of several concurrent attempts succeeds. An execution that was claimed before `abandonedBefore` and
 * never finished can be claimed again, because its idempotency key prevents a second effect. Idempotency keys are deleted after 24 hours, so an
 * execution older than 23 hours cannot be claimed.
 */
export const claimAction = (tx: TenantTx, id: string, userId: string, now: Date, abandonedBefore: Date) =>
  row(tx, claimStatement, [tx.clinicId, id, userId, now, abandonedBefore]);

const rejectStatement = sql<ActionRow>(`
  update assistant_actions set status = 'rejected', decided_at = $4
  where clinic_id = $1 and id = $2 and user_id = $3 and status = 'proposed' and expires_at > $4
  returning ${COLUMNS}`);

export const rejectAction = (tx: TenantTx, id: string, userId: string, now: Date) => row(tx, rejectStatement, [tx.clinicId, id, userId, now]);

const finishStatement = sql<ActionRow>(`
  update assistant_actions set status = $3, failure = $4, result_id = $5 where clinic_id = $1 and id = $2 returning ${COLUMNS}`);

/** The status `proposed` opens the proposal again, since nothing was done. */
export type ActionEnd = { status: ActionRow['status']; failure?: string; resultId?: string };

/** Undefined if the conversation was deleted meanwhile. */
export const finishAction = (tx: TenantTx, id: string, { status, failure, resultId }: ActionEnd) =>
  row(tx, finishStatement, [tx.clinicId, id, status, failure ?? null, resultId ?? null]);

const listStatement = sql<ActionRow>(`select ${COLUMNS} from assistant_actions where clinic_id = $1 and conversation_id = $2 order by created_at, id`);

export const listActions = (tx: TenantTx, conversationId: string) => rows(tx, listStatement, [tx.clinicId, conversationId]);
