// What each clinic has paid for, and which revision of it identity has applied.
import { type Db, execute, getRow, readSystem, row, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { Access } from './access-rules.ts';

export type ClinicSubscriptionRow = {
  clinic_id: string;
  plan: string;
  expires_at: Date;
  status: Access['status'];
  source_event_id: string;
  revision: number;
  applied_revision: number;
  unknown_clinic: boolean;
};

const COLUMNS = 'clinic_id, plan, expires_at, status, source_event_id, revision, applied_revision, unknown_clinic';

// Only a change creates a new revision, so a repeated event has no effect.
const putStatement = sql<ClinicSubscriptionRow>(`
  insert into clinic_subscriptions as known (clinic_id, plan, expires_at, status, source_event_id, revision) values ($1, $2, $3, $4, $5, 1)
  on conflict (clinic_id) do update set plan = excluded.plan, expires_at = excluded.expires_at, status = excluded.status,
    source_event_id = excluded.source_event_id, revision = known.revision + 1
  where (known.plan, known.expires_at, known.status) is distinct from (excluded.plan, excluded.expires_at, excluded.status)
  returning ${COLUMNS}`);

/** The row when it has changed. */
export const putSubscription = (tx: SystemTx, clinicId: string, access: Access, eventId: string) =>
  row(tx, putStatement, [clinicId, access.plan, new Date(access.expiresAt), access.status, eventId]);

const sourceStatement = sql<{ source_event_id: string }>('select source_event_id from clinic_subscriptions where clinic_id = $1');

/** The event that caused the last change. */
export const getSourceEventId = async (tx: SystemTx, clinicId: string) => (await getRow(tx, sourceStatement, [clinicId])).source_event_id;

const retryStatement = sql('update clinic_subscriptions set unknown_clinic = false where clinic_id = $1 and unknown_clinic');

/** Lets the sweep try again, because identity may have the clinic by now. */
export const retryUnknownClinic = (tx: SystemTx, clinicId: string) => execute(tx, retryStatement, [clinicId]);

const unappliedStatement = sql<ClinicSubscriptionRow>(`
  select ${COLUMNS} from clinic_subscriptions where clinic_id = $1 and applied_revision < revision and not unknown_clinic`);

/** What identity has not applied yet; undefined when it is up to date. */
export async function findUnapplied(db: Db, clinicId: string): Promise<ClinicSubscriptionRow | undefined> {
  const [subscription] = await readSystem(db, unappliedStatement, [clinicId]);
  return subscription;
}

const clinicsStatement = sql<{ clinic_id: string }>(`
  select clinic_id from clinic_subscriptions where applied_revision < revision and not unknown_clinic order by clinic_id limit $1`);

/** Clinics whose subscription identity has not applied yet. */
export const listUnappliedClinics = (db: Db, limit: number) => readSystem(db, clinicsStatement, [limit]);

// The lock makes it wait for a process that is about to mark the first revision as applied.
const unconfirmedStatement = sql('select from clinic_subscriptions where clinic_id = $1 and applied_revision = 0 for update');

/** Whether identity has never applied a subscription of the clinic, which may not exist. Locks the subscription in that case. */
export const isUnconfirmed = async (tx: SystemTx, clinicId: string): Promise<boolean> => (await rows(tx, unconfirmedStatement, [clinicId])).length > 0;

const appliedStatement = sql('update clinic_subscriptions set applied_revision = greatest(applied_revision, $2) where clinic_id = $1');

export const markApplied = (tx: SystemTx, clinicId: string, revision: number) => execute(tx, appliedStatement, [clinicId, revision]);

const unknownStatement = sql('update clinic_subscriptions set unknown_clinic = true where clinic_id = $1 and revision = $2');

export const markUnknownClinic = (tx: SystemTx, clinicId: string, revision: number) => execute(tx, unknownStatement, [clinicId, revision]);
