// Invalidations and contingencies as the authority is told of them.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { execute, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Generation } from '../rules/kinds.ts';
import { eventContext, openJson, sealJson } from '../encrypted-columns.ts';

export type EventContent = { event: object };

export type EventRow = {
  id: string;
  kind: 'invalidation' | 'contingency';
  code: string;
  environment: '00' | '01';
  generation: Generation;
  document_id: string | null;
  status: 'pending' | 'accepted' | 'rejected';
  content_sealed: Buffer;
};

const COLUMNS = 'id, kind, code, environment, generation, document_id, status, content_sealed';

export const openEvent = (keys: NamedKey[], clinicId: string, { id, content_sealed }: EventRow): EventContent =>
  openJson<EventContent>(keys, content_sealed, eventContext(clinicId, id));

const insertStatement = sql<EventRow>(`
  insert into dte_events (clinic_id, id, kind, code, environment, generation, document_id, status, content_sealed, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, $9) returning ${COLUMNS}`);

export type NewEvent = Pick<EventRow, 'id' | 'kind' | 'code' | 'environment' | 'generation' | 'document_id'> & { content: EventContent; at: Date };

export async function insertEvent(tx: TenantTx, keys: NamedKey[], one: NewEvent): Promise<EventRow> {
  const content = sealJson(keys, one.content, eventContext(tx.clinicId, one.id));
  const inserted = await row(tx, insertStatement, [tx.clinicId, one.id, one.kind, one.code, one.environment, one.generation, one.document_id, content, one.at]);
  if (!inserted) throw new Error('an insert returns its row');
  return inserted;
}

const pendingContingencyStatement = sql<EventRow>(
  `select ${COLUMNS} from dte_events where clinic_id = $1 and kind = 'contingency' and status = 'pending' order by created_at`,
);
export const listPendingContingencies = (tx: TenantTx): Promise<EventRow[]> => rows(tx, pendingContingencyStatement, [tx.clinicId]);

const openInvalidationsStatement = sql<EventRow & { clinic_id: string }>(`
  select clinic_id, ${COLUMNS} from dte_events where kind = 'invalidation' and status = 'pending' and created_at <= $1 order by created_at limit $2`);
/** Those that were asked for before an instant and have no answer. */
export const listOpenInvalidations = (tx: SystemTx, before: Date, limit: number) => rows(tx, openInvalidationsStatement, [before, limit]);

const refusedContingencyStatement = sql(
  `select from dte_events where clinic_id = $1 and kind = 'contingency' and status = 'rejected' and settled_at > $2 limit 1`,
);
/** Whether the authority has refused one since an instant. */
export const hasRefusedContingency = async (tx: TenantTx, since: Date): Promise<boolean> =>
  (await rows(tx, refusedContingencyStatement, [tx.clinicId, since])).length > 0;

const pendingInvalidationStatement = sql<EventRow>(
  `select ${COLUMNS} from dte_events where clinic_id = $1 and document_id = $2 and kind = 'invalidation' and status = 'pending'`,
);
export const findPendingInvalidation = (tx: TenantTx, documentId: string): Promise<EventRow | undefined> =>
  row(tx, pendingInvalidationStatement, [tx.clinicId, documentId]);

const settleStatement = sql(`
  update dte_events set status = $3, seal = $4, observations = $5, settled_at = $6 where clinic_id = $1 and id = $2 and status = 'pending'`);

/** False when it is settled already. */
export async function settleEvent(
  tx: TenantTx,
  id: string,
  { status, seal, observations }: { status: 'accepted' | 'rejected'; seal: string | null; observations: string[] },
  now: Date,
): Promise<boolean> {
  return (await execute(tx, settleStatement, [tx.clinicId, id, status, seal, observations, now])) > 0;
}
