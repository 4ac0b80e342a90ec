// Tax documents that are on their way: who hands one over now, whose handover was cut off, and which wait in contingency.
import { execute, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { DOCUMENT_COLUMNS, type DocumentRow } from './documents.sql.ts';

const claimStatement = sql<DocumentRow>(`
  update dte_documents set claimed_until = $4 where clinic_id = $1 and id = $2 and status in ('pending', 'contingency') and (claimed_until is null or claimed_until <= $3)
  returning ${DOCUMENT_COLUMNS}`);
const releaseStatement = sql('update dte_documents set claimed_until = null where clinic_id = $1 and id = $2');
const attemptStatement = sql('update dte_documents set attempts = attempts + 1 where clinic_id = $1 and id = $2');

/** The document for whoever hands it over now, until that instant; nothing when another does, or it is settled. */
export const claimDocument = (tx: TenantTx, id: string, now: Date, until: Date): Promise<DocumentRow | undefined> =>
  row(tx, claimStatement, [tx.clinicId, id, now, until]);

export async function releaseDocument(tx: TenantTx, id: string): Promise<void> {
  await execute(tx, releaseStatement, [tx.clinicId, id]);
}

/** Before each handover, so that one that is cut off is known. */
export async function countAttempt(tx: TenantTx, id: string): Promise<void> {
  await execute(tx, attemptStatement, [tx.clinicId, id]);
}

const unsettledStatement = sql<{ clinic_id: string; id: string }>(`
  select clinic_id, id from dte_documents where status = 'pending' and coalesce(claimed_until, created_at + interval '15 seconds') <= $1 order by issued_at limit $2`);
const awayStatement = sql<{ clinic_id: string }>(`select distinct clinic_id from dte_documents where status = 'contingency' limit $1`);

/** Documents whose handover was cut off. */
export const listUnsettled = (tx: SystemTx, now: Date, limit: number) => rows(tx, unsettledStatement, [now, limit]);
/** Clinics with documents that the authority does not have yet. */
export const listClinicsInContingency = (tx: SystemTx, limit: number) => rows(tx, awayStatement, [limit]);

const untoldStatement = sql<DocumentRow>(`
  select ${DOCUMENT_COLUMNS} from dte_documents where clinic_id = $1 and status = 'contingency' and contingency_event_id is null order by issued_at limit $2`);
const tellStatement = sql('update dte_documents set contingency_event_id = $2 where clinic_id = $1 and id = any($3::uuid[])');
const forgetStatement = sql('update dte_documents set contingency_event_id = null where clinic_id = $1 and contingency_event_id = $2');
const toldStatement = sql<{ id: string }>(`
  select document.id from dte_documents document join dte_events event on (event.clinic_id, event.id) = (document.clinic_id, document.contingency_event_id)
  where document.clinic_id = $1 and document.status = 'contingency' and event.status = 'accepted' order by document.issued_at limit $2`);

/** Documents in contingency that no event tells of. */
export const listUntold = (tx: TenantTx, limit: number): Promise<DocumentRow[]> => rows(tx, untoldStatement, [tx.clinicId, limit]);
export async function assignEvent(tx: TenantTx, eventId: string, ids: string[]): Promise<void> {
  await execute(tx, tellStatement, [tx.clinicId, eventId, ids]);
}
/** An event that was refused tells of nothing. */
export async function freeFromEvent(tx: TenantTx, eventId: string): Promise<void> {
  await execute(tx, forgetStatement, [tx.clinicId, eventId]);
}
/** Documents in contingency whose event the authority has, and which may be handed over now. */
export const listTold = (tx: TenantTx, limit: number) => rows(tx, toldStatement, [tx.clinicId, limit]);
