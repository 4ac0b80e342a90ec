// Proposals: shown to one user, who has them done or not, once.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import { execute, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';

export type ActionStatus = 'proposed' | 'executing' | 'confirmed' | 'rejected' | 'failed';
export type ActionRow = {
  id: string;
  kind: 'book' | 'move' | 'cancel' | 'message';
  status: ActionStatus;
  payload_sealed: Buffer;
  failure: string | null;
  result_id: string | null;
  created_at: Date;
  expires_at: Date;
  decided_at: Date | null;
};

export const actionPlace = (id: string) => `assistant_actions/${id}`;
export const openPayload = (keys: NamedKey[], { id, payload_sealed }: Pick<ActionRow, 'id' | 'payload_sealed'>) =>
  decrypt(keys, payload_sealed, actionPlace(id));

const COLUMNS = 'id, kind, status, payload_sealed, failure, result_id, created_at, expires_at, decided_at';

const insertStatement = sql(`
  insert into assistant_actions (clinic_id, id, conversation_id, user_id, kind, status, payload_sealed, created_at, expires_at)
  values ($1, $2, $3, $4, $5, 'proposed', $6, $7, $8)`);

export type NewAction = { id: string; conversationId: string; userId: string; kind: ActionRow['kind']; payload: string; expiresAt: Date };

export async function insertAction(tx: TenantTx, keys: NamedKey[], given: NewAction, now: Date): Promise<void> {
  const { id, conversationId, userId, kind, payload, expiresAt } = given;
  await execute(tx, insertStatement, [tx.clinicId, id, conversationId, userId, kind, encrypt(keys, payload, actionPlace(id)), now, expiresAt]);
}

const findStatement = sql<ActionRow>(`select ${COLUMNS} from assistant_actions where clinic_id = $1 and id = $2 and user_id = $3`);

/** Only when it was proposed to this user. */
export const findAction = (tx: TenantTx, id: string, userId: string) => row(tx, findStatement, [tx.clinicId, id, userId]);

const claimStatement = sql<ActionRow>(`
  update assistant_actions set status = 'executing', decided_at = $4
  where clinic_id = $1 and id = $2 and user_id = $3 and ((status = 'proposed' and expires_at > $4) or (status = 'executing' and decided_at < $5 and decided_at > $4 - interval '23 hours'))
  returning ${COLUMNS}`);

/**
 * Takes the proposal for being done: one of many who try at once gets it. One that was taken before `abandonedBefore` and never came
 * to an end is taken again; what it does carries its id as the key, so it is not done twice. Keys are forgotten after 24 hours: one that was
 * taken before that stays as it is.
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

/** What became of it; `proposed` puts it back, when it could not even be tried. */
export async function finishAction(tx: TenantTx, id: string, end: { status: ActionStatus; failure?: string; resultId?: string }): Promise<ActionRow> {
  return (await row(tx, finishStatement, [tx.clinicId, id, end.status, end.failure ?? null, end.resultId ?? null])) as ActionRow;
}

const listStatement = sql<ActionRow>(`select ${COLUMNS} from assistant_actions where clinic_id = $1 and conversation_id = $2 order by created_at, id`);

export const listActions = (tx: TenantTx, conversationId: string) => rows(tx, listStatement, [tx.clinicId, conversationId]);
