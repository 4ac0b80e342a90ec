// The number that a clinic is connecting while its current one stays in use, and numbers that are to be deregistered.
import { type Db, execute, readTenant, row, rows, type SystemTx, sql, type Tx } from '@clinic/lib/db/db.ts';
import { hasPassed } from '@clinic/lib/db/has-passed.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { BINDING, type Binding, LONGEST_PAUSE } from './channels.sql.ts';

const findStatement = sql<Binding>(`select clinic_id, ${BINDING} from next_channels where clinic_id = $1`);

export const findNextChannel = (tx: Tx, clinicId: string) => row(tx, findStatement, [clinicId]);

/** In one round trip, without a transaction. */
export const findNextChannelOf = async (db: Db, clinicId: string) => (await readTenant(db, clinicId, findStatement, [clinicId]))[0];

const saveStatement = sql(`
  insert into next_channels (clinic_id, updated_at, ${BINDING}) values ($1, $2, ${BINDING.map((_, index) => `$${index + 3}`)})
  on conflict (clinic_id) do update set (updated_at, ${BINDING}) = (excluded.updated_at, ${BINDING.map((column) => `excluded.${column}`)})`);

/** The caller must have locked the channel of the clinic. */
export const saveNextChannel = (tx: Tx, next: Binding, now: Date) =>
  execute(tx, saveStatement, [next.clinic_id, now, ...BINDING.map((column) => next[column])]);

const deleteStatement = sql('delete from next_channels where clinic_id = $1');

/** Gives up the number that is being connected. The caller must have locked the channel of the clinic. */
export async function dropNextChannel(tx: Tx, clinicId: string): Promise<void> {
  const next = await findNextChannel(tx, clinicId);
  if (next?.pin_sealed) await retireNumber(tx, next); // it may be registered
  await deleteNextChannel(tx, clinicId);
}

export const deleteNextChannel = (tx: Tx, clinicId: string) => execute(tx, deleteStatement, [clinicId]);

const claimDueStatement = sql<{ clinic_id: string }>(`
  update next_channels set retry_at = $2 where status = 'verifying' and ${hasPassed('retry_at', '$1::timestamptz', LONGEST_PAUSE)} returning clinic_id`);

/** Like claimDueBindings() for channels. */
export const claimDueNextChannels = (tx: SystemTx, now: Date, until: Date) => rows(tx, claimDueStatement, [now, until]);

const abandonedStatement = sql<{ clinic_id: string }>(`
  select clinic_id from next_channels where status <> 'verifying' and updated_at < $1 for update skip locked`);

/** Clinics whose attempt to connect another number failed, or was last continued, before `before`; locked until the transaction ends. */
export const listAbandonedNextChannels = (tx: SystemTx, before: Date) => rows(tx, abandonedStatement, [before]);

export const DEREGISTER_NUMBER = 'deregister-number';

type Retired = { clinic_id: string; phone_number_id: string; access_token_sealed: Buffer };
const retireStatement = sql(`
  insert into retired_numbers (clinic_id, phone_number_id, access_token_sealed) values ($1, $2, $3)
  on conflict (clinic_id, phone_number_id) do update set access_token_sealed = excluded.access_token_sealed`);

/** Queues the deregistration of the number at the provider. */
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

/** Cancels the deregistration of the number: for all clinics when run as the system, otherwise for the clinic of the transaction. */
export const forgetRetiredNumber = (tx: Tx, numberId: string) => execute(tx, forgetStatement, [numberId]);
