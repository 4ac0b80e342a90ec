// The last move of each clinic, from the operators' audit log.
import { readSystem, sql } from '@clinic/lib/db/db.ts';
import { NO_CLINIC } from '@clinic/lib/formats/uuid.ts';
import type { Ops } from '../command.ts';

/**
 * `target` is the host to which the clinic was moved, null in the target itself and when the move was cancelled. `read_only`: whether the clinic was
 * read-only before a move that has begun.
 */
export type LastMove = { clinic_id: string; state: 'begun' | 'cancelled' | 'done'; target: string | null; read_only: boolean; at: Date };

const movesStatement = sql<LastMove>(`
  select distinct on (entity_id) entity_id as clinic_id, changes->>'state' as state, changes->>'to' as target,
    coalesce((changes->>'read_only')::boolean, false) as read_only, at from audit_log
  where clinic_id = $1 and action = 'clinic.moved' order by entity_id, at desc, id desc`);

/** By clinic id. */
export async function listLastMoves(ops: Ops): Promise<Map<string, LastMove>> {
  return new Map((await readSystem(ops.open('platform'), movesStatement, [NO_CLINIC])).map((move) => [move.clinic_id, move]));
}
