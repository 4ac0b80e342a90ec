// Events for the tax authority: invalidations and contingencies.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { execute, getRow, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { decryptJson, encryptJson, eventContext } from '../encrypted-columns.ts';
import type { Environment, Generation } from '../rules/kinds.ts';

export type EventRow = {
  id: string;
  kind: 'invalidation' | 'contingency';
  code: string;
  environment: Environment;
  generation: Generation;
  document_id: string | null;
  status: 'pending' | 'accepted' | 'rejected';
  content_sealed: Buffer;
};

const COLUMNS = 'id, kind, code, environment, generation, document_id, status, content_sealed';

/** The event as JSON of its schema. */
export const decryptEvent = (keys: NamedKey[], clinicId: string, { id, content_sealed }: EventRow): object =>
  decryptJson<{ event: object }>(keys, content_sealed, eventContext(clinicId, id)).event;

const insertStatement = sql<EventRow>(`
  insert into dte_events (clinic_id, id, kind, code, environment, generation, document_id, status, content_sealed, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, $9) returning ${COLUMNS}`);

type NewEvent = Pick<EventRow, 'id' | 'kind' | 'code' | 'environment' | 'generation' | 'document_id'> & { content: object; at: Date };

export function insertEvent(tx: TenantTx, keys: NamedKey[], one: NewEvent): Promise<EventRow> {
  const content = encryptJson(keys, { event: one.content }, eventContext(tx.clinicId, one.id));
  return getRow(tx, insertStatement, [tx.clinicId, one.id, one.kind, one.code, one.environment, one.generation, one.document_id, content, one.at]);
}

const pendingContingencyStatement = sql<EventRow>(
  `select ${COLUMNS} from dte_events where clinic_id = $1 and kind = 'contingency' and environment = $2 and status = 'pending' order by created_at`,
);
export const listPendingContingencies = (tx: TenantTx, environment: Environment): Promise<EventRow[]> =>
  rows(tx, pendingContingencyStatement, [tx.clinicId, environment]);

const pendingInvalidationsStatement = sql<EventRow & { clinic_id: string }>(`
  select clinic_id, ${COLUMNS} from dte_events where kind = 'invalidation' and status = 'pending' and created_at <= $1 order by random() limit $2`);
/** Invalidations that were created up to an instant and have no answer, in random order: one that never gets an answer does not always precede the rest. */
export const listPendingInvalidations = (tx: SystemTx, before: Date, limit: number) => rows(tx, pendingInvalidationsStatement, [before, limit]);

const rejectedContingencyStatement = sql(
  `select from dte_events where clinic_id = $1 and kind = 'contingency' and environment = $2 and status = 'rejected' and settled_at > $3 limit 1`,
);
/** Whether the authority has rejected a contingency event since an instant. */
export const hasRejectedContingency = async (tx: TenantTx, environment: Environment, since: Date): Promise<boolean> =>
  (await rows(tx, rejectedContingencyStatement, [tx.clinicId, environment, since])).length > 0;

const pendingInvalidationStatement = sql<EventRow>(
  `select ${COLUMNS} from dte_events where clinic_id = $1 and document_id = $2 and kind = 'invalidation' and status = 'pending'`,
);
export const findPendingInvalidation = (tx: TenantTx, documentId: string): Promise<EventRow | undefined> =>
  row(tx, pendingInvalidationStatement, [tx.clinicId, documentId]);

const rejectOthersStatement = sql(`
  update dte_events set status = 'rejected', settled_at = $4
  where clinic_id = $1 and document_id = $2 and kind = 'invalidation' and status = 'pending' and id <> $3`);
/** For an event that is accepted after all: a pending one was created when it seemed to be rejected, and the authority would reject that one. */
export const rejectOtherInvalidations = (tx: TenantTx, documentId: string, id: string, now: Date) =>
  execute(tx, rejectOthersStatement, [tx.clinicId, documentId, id, now]);

// When two processes send an event, the authority may accept one and reject the other as a duplicate: then the event is accepted.
const settleStatement = sql(`
  update dte_events set status = $3, seal = $4, observations = $5, settled_at = $6
  where clinic_id = $1 and id = $2 and (status = 'pending' or (status = 'rejected' and $3 = 'accepted'))`);

type EventVerdict = { observations: string[] } & ({ kind: 'accepted'; seal: string } | { kind: 'rejected' });

/** False when the event was settled before and remains as it is. */
export async function settleEvent(tx: TenantTx, id: string, verdict: EventVerdict, now: Date): Promise<boolean> {
  const seal = verdict.kind === 'accepted' ? verdict.seal : null;
  return (await execute(tx, settleStatement, [tx.clinicId, id, verdict.kind, seal, verdict.observations, now])) > 0;
}
