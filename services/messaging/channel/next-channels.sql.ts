// The number that a clinic connects while its present one stays in use, and numbers that are to be deregistered.
import { type Db, execute, readTenant, row, rows, type SystemTx, sql, type Tx } from '@clinic/lib/db/db.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { Binding } from './channels.sql.ts';

const COLUMNS = `clinic_id, status, detail, display_number, phone_number_id, waba_id, access_token_sealed, pin_sealed, code_submitted, retry_at, attempts`;

const findStatement = sql<Binding>(`select ${COLUMNS} from next_channels where clinic_id = $1`);

export const findNextChannel = (tx: Tx, clinicId: string) => row(tx, findStatement, [clinicId]);

/** In one round trip, without a transaction. */
export const findNextChannelOf = async (db: Db, clinicId: string) => (await readTenant(db, clinicId, findStatement, [clinicId]))[0];

const saveStatement = sql(`
  insert into next_channels (${COLUMNS}, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  on conflict (clinic_id) do update set status = $2, detail = $3, display_number = $4, phone_number_id = $5, waba_id = $6, access_token_sealed = $7,
    pin_sealed = $8, code_submitted = $9, retry_at = $10, attempts = $11, updated_at = $12`);

/** The caller must have locked the channel of the clinic. */
export async function saveNextChannel(tx: Tx, next: Binding, now: Date): Promise<void> {
  const { clinic_id, status, detail, display_number, phone_number_id, waba_id, access_token_sealed, pin_sealed, code_submitted, retry_at, attempts } = next;
  const values = [
    clinic_id,
    status,
    detail,
    display_number,
    phone_number_id,
    waba_id,
    access_token_sealed,
    pin_sealed,
    code_submitted,
    retry_at,
    attempts,
    now,
  ];
  await execute(tx, saveStatement, values);
}

const deleteStatement = sql('delete from next_channels where clinic_id = $1');

/** Gives up the number that is being connected. The caller must have locked the channel of the clinic. */
export async function dropNextChannel(tx: Tx, clinicId: string): Promise<void> {
  const next = await findNextChannel(tx, clinicId);
  if (next?.pin_sealed) await retireNumber(tx, next); // it may be registered
  await execute(tx, deleteStatement, [clinicId]);
}

export async function deleteNextChannel(tx: Tx, clinicId: string): Promise<void> {
  await execute(tx, deleteStatement, [clinicId]);
}

const claimDueStatement = sql<{ clinic_id: string }>(`
  update next_channels set retry_at = $2 where status = 'verifying' and retry_at <= $1 returning clinic_id`);

/** As claimDueBindings() of channels. */
export const claimDueNextChannels = (tx: SystemTx, now: Date, until: Date) => rows(tx, claimDueStatement, [now, until]);

const abandonedStatement = sql<{ clinic_id: string }>(`
  select clinic_id from next_channels where status <> 'verifying' and updated_at < $1 for update skip locked`);

/** Clinics whose attempt to connect another number has failed, or was not continued, since then; locked until the transaction ends. */
export const listAbandonedNextChannels = (tx: SystemTx, before: Date) => rows(tx, abandonedStatement, [before]);

export const DEREGISTER_NUMBER = 'deregister-number';

type Retired = { clinic_id: string; phone_number_id: string; access_token_sealed: Buffer };
const retireStatement = sql(`
  insert into retired_numbers (clinic_id, phone_number_id, access_token_sealed) values ($1, $2, $3)
  on conflict (clinic_id, phone_number_id) do update set access_token_sealed = excluded.access_token_sealed`);

/** Has the number deregistered at the provider after the commit. */
export async function retireNumber(tx: Tx, { clinic_id, phone_number_id, access_token_sealed }: Binding): Promise<void> {
  if (!phone_number_id || !access_token_sealed) return;
  await execute(tx, retireStatement, [clinic_id, phone_number_id, access_token_sealed]);
  await enqueue(tx, DEREGISTER_NUMBER, { clinicId: clinic_id, numberId: phone_number_id });
}

const findRetiredStatement = sql<Retired>(
  'select clinic_id, phone_number_id, access_token_sealed from retired_numbers where clinic_id = $1 and phone_number_id = $2',
);

export const findRetiredNumber = async (db: Db, clinicId: string, numberId: string) =>
  (await readTenant(db, clinicId, findRetiredStatement, [clinicId, numberId]))[0];

const forgetStatement = sql('delete from retired_numbers where phone_number_id = $1');

/** The number is not to be deregistered, or no longer: as the system for all clinics, otherwise for that of the transaction. */
export async function forgetRetiredNumber(tx: Tx, numberId: string): Promise<void> {
  await execute(tx, forgetStatement, [numberId]);
}
