// Tax documents without a final status: claims for their handover, interrupted handovers, and contingencies.
import { execute, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { hasPassed, isUnclaimed } from '@clinic/lib/db/has-passed.ts';
import type { Environment } from '../rules/kinds.ts';
import { DOCUMENT_COLUMNS, type DocumentRow, LISTED_COLUMNS, type ListedRow } from './documents.sql.ts';

/** How long a claim lasts. After a process is killed, another one continues when the claim has ended. */
export const CLAIM_MS = 15_000;

/** Longer than any claim lasts. */
const LONGEST_CLAIM = '10 minutes';

const claimStatement = sql<DocumentRow>(`
  update dte_documents set claimed_until = $5
  where clinic_id = $1 and id = $2 and status = $3 and ${isUnclaimed('claimed_until', '$4::timestamptz', LONGEST_CLAIM)}
  returning ${DOCUMENT_COLUMNS}`);
const renewStatement = sql('update dte_documents set claimed_until = $3 where clinic_id = $1 and id = $2 and claimed_until is not null');
const releaseStatement = sql(`
  update dte_documents set claimed_until = null, observations = case when status in ('pending', 'contingency') then $3 else observations end
  where clinic_id = $1 and id = $2`);
const attemptStatement = sql('update dte_documents set attempts = attempts + 1 where clinic_id = $1 and id = $2');

export type Unsettled = 'pending' | 'contingency';

/** Claims a document for a handover until that instant. Undefined when another process has claimed it, or it has another status. */
export const claimDocument = (tx: TenantTx, id: string, status: Unsettled, { now, until }: { now: Date; until: Date }): Promise<DocumentRow | undefined> =>
  row(tx, claimStatement, [tx.clinicId, id, status, now, until]);

export const renewClaim = (tx: TenantTx, id: string, until: Date) => execute(tx, renewStatement, [tx.clinicId, id, until]);

/** `observations`: why it could not be handed over, as far as an admin can change it. */
export const releaseDocument = (tx: TenantTx, id: string, observations: string[]) => execute(tx, releaseStatement, [tx.clinicId, id, observations]);

/** Counts an attempt before it is made, so that an interrupted one counts too. */
export const countAttempt = (tx: TenantTx, id: string) => execute(tx, attemptStatement, [tx.clinicId, id]);

// The lists for the sweep are in random order: work that fails each time, and ends the sweep of its clinic, does not always precede the rest.
const interruptedStatement = sql<{ clinic_id: string; id: string }>(`
  select clinic_id, id from (
    select clinic_id, id, row_number() over (partition by clinic_id order by random()) as place
    from dte_documents where status = 'pending'
      and ${hasPassed(`coalesce(claimed_until, created_at + interval '${CLAIM_MS} milliseconds')`, '$1::timestamptz', LONGEST_CLAIM)}) interrupted
  order by place, random() limit $2`);
const contingencyStatement = sql<{ clinic_id: string }>(`
  select clinic_id from (select distinct clinic_id from dte_documents where status = 'contingency') clinics order by random() limit $1`);

/** Pending documents whose handover was interrupted, one of each clinic before the second of any, so that no clinic displaces another. */
export const listInterrupted = (tx: SystemTx, now: Date, limit: number) => rows(tx, interruptedStatement, [now, limit]);
/** Clinics with documents in contingency. */
export const listClinicsInContingency = (tx: SystemTx, limit: number) => rows(tx, contingencyStatement, [limit]);

// A rejected event may still be accepted, so its documents stay assigned to it until another event reports them.
const unreportedStatement = sql<ListedRow>(`
  select ${LISTED_COLUMNS} from dte_documents document where clinic_id = $1 and nit = $2 and environment = $3 and status = 'contingency' and not exists (
    select from dte_events event
    where (event.clinic_id, event.id) = (document.clinic_id, document.contingency_event_id) and event.status <> 'rejected')
  order by issued_at limit $4`);
/** In the order of their ids, as by lockDocuments(): others may lock several of them too. */
const locked = (condition: string) => `id in (select id from dte_documents where clinic_id = $1 and ${condition} order by id for no key update)`;
const assignStatement = sql(`update dte_documents set contingency_event_id = $2 where clinic_id = $1 and ${locked('id = any($3::uuid[])')}`);
const observeStatement = sql(`
  update dte_documents set observations = $3
  where clinic_id = $1 and ${locked("contingency_event_id = $2 and status = 'contingency' and observations is distinct from $3")}`);
const reportedStatement = sql<{ id: string }>(`
  select document.id from dte_documents document join dte_events event on (event.clinic_id, event.id) = (document.clinic_id, document.contingency_event_id)
  where document.clinic_id = $1 and document.environment = $2 and document.status = 'contingency' and event.status = 'accepted'
  order by random() limit $3`);

/** Documents of a taxpayer in contingency that no event reports, except one that was rejected. */
export const listUnreported = (tx: TenantTx, nit: string, environment: Environment, limit: number): Promise<ListedRow[]> =>
  rows(tx, unreportedStatement, [tx.clinicId, nit, environment, limit]);

export const assignEvent = (tx: TenantTx, eventId: string, ids: string[]) => execute(tx, assignStatement, [tx.clinicId, eventId, ids]);

/** `observations`: why the documents of an event remain in contingency, as far as an admin can change it. */
export const observeContingency = (tx: TenantTx, eventId: string, observations: string[]) =>
  execute(tx, observeStatement, [tx.clinicId, eventId, observations]);

/** Documents in contingency whose event the authority has accepted, so that they may be handed over. */
export const listReported = (tx: TenantTx, environment: Environment, limit: number) => rows(tx, reportedStatement, [tx.clinicId, environment, limit]);
