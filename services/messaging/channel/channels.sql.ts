// The clinic's number at the chat provider. Its secrets are encrypted.
import { randomUUID } from 'node:crypto';
import { type Db, execute, getRow, readSystem, readTenant, row, rows, type SystemTx, sql, type TenantTx, type Tx } from '@clinic/lib/db/db.ts';
import { hasPassed } from '@clinic/lib/db/has-passed.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { ClinicChannelUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';

export type ChannelStatus = 'disconnected' | 'pending_otp' | 'verifying' | 'active' | 'failed';

export type ChannelRow = {
  clinic_id: string;
  status: ChannelStatus;
  detail: string;
  display_number: string;
  /** The number that the clinic entered. Several clinics may have entered the same one. */
  phone_number_id: string | null;
  /** The number whose messages belong to this clinic, as confirmed by the provider: the number entered, or the previous one. Unique. */
  proven_number_id: string | null;
  waba_id: string | null;
  access_token_sealed: Buffer | null;
  verify_token_sealed: Buffer | null;
  pin_sealed: Buffer | null;
  bot_enabled: boolean;
  retry_at: Date | null;
  attempts: number;
  /** Whether a code was submitted to the provider whose response is not known yet. */
  code_submitted: boolean;
  revision: number;
};

const NUMBER = ['display_number', 'phone_number_id', 'waba_id', 'access_token_sealed', 'pin_sealed'] as const;
const CONNECTION = ['status', 'detail', 'retry_at', 'attempts', 'code_submitted'] as const;
/** The columns of a number and of the state of its connection, here and in next_channels. */
export const BINDING = [...NUMBER, ...CONNECTION] as const;
const STATE = [...BINDING, 'proven_number_id', 'verify_token_sealed', 'bot_enabled'] as const;
const COLUMNS = `clinic_id, ${STATE}, revision`;

export type Binding = Pick<ChannelRow, 'clinic_id' | (typeof BINDING)[number]>;
export type ChannelState = Pick<ChannelRow, (typeof STATE)[number]>;

const findStatement = sql<ChannelRow>(`select ${COLUMNS} from channels where clinic_id = $1`);

export const findChannel = (tx: TenantTx) => row(tx, findStatement, [tx.clinicId]);

/** In one round trip, without a transaction. */
export const findChannelOf = async (db: Db, clinicId: string) => (await readTenant(db, clinicId, findStatement, [clinicId]))[0];

const ensureStatement = sql('insert into channels (clinic_id) values ($1) on conflict do nothing');
const lockStatement = sql<ChannelRow>(`select ${COLUMNS} from channels where clinic_id = $1 for update`);

/** The channel, created if the clinic has none, locked until the transaction ends. */
export async function lockChannel(tx: TenantTx): Promise<ChannelRow> {
  const [, channel] = await Promise.all([execute(tx, ensureStatement, [tx.clinicId]), getRow(tx, lockStatement, [tx.clinicId])]);
  return channel;
}

/** The channel of a clinic, locked until the transaction ends. */
export const lockChannelOf = (tx: SystemTx, clinicId: string) => row(tx, lockStatement, [clinicId]);

const lockProvenStatement = sql<ChannelRow>(`select ${COLUMNS} from channels where proven_number_id = $1 for update`);

/** The channel of the clinic that has proven the number, locked until the transaction ends. */
export const lockProvenChannel = (tx: SystemTx, numberId: string) => row(tx, lockProvenStatement, [numberId]);

const provenStatement = sql<{ clinic_id: string }>('select clinic_id from channels where proven_number_id = $1');

/** The id of the clinic that has proven the number. */
export const findProvenClinic = async (db: Db, numberId: string) => (await readSystem(db, provenStatement, [numberId]))[0]?.clinic_id;

/** Whether messages are accepted: the channel has a number and a token, and the provider has not refused the account. They are sent once it is active. */
export const isConnected = (channel: ChannelRow) =>
  (channel.status === 'active' || channel.status === 'verifying') && channel.phone_number_id !== null && channel.access_token_sealed !== null;

/** Whether the clinic has proven the number that it entered. */
export const isInUse = (channel: ChannelRow) =>
  channel.status !== 'disconnected' && channel.proven_number_id !== null && channel.proven_number_id === channel.phone_number_id;

// The provider may refuse an account for a while. A number that was never proven does not count, whatever its state.
const listConnectedStatement = sql<{ clinic_id: string }>(`
  select clinic_id from channels
  where clinic_id = any($1) and (status in ('active', 'verifying') or (status = 'failed' and proven_number_id is not null))`);

/** Those of the clinics that have a chat number, so that their messages to patients are sent by chat. */
export const listConnected = async (tx: Tx, clinicIds: string[]) =>
  new Set((await rows(tx, listConnectedStatement, [clinicIds])).map(({ clinic_id }) => clinic_id));

export const hasChannel = async (tx: Tx, clinicId: string) => (await listConnected(tx, [clinicId])).has(clinicId);

const updateStatement = sql<ChannelRow>(`
  update channels set (${STATE}) = (${STATE.map((_, index) => `$${index + 2}`)}), revision = revision + 1, updated_at = now()
  where clinic_id = $1 returning ${COLUMNS}`);

/** Saves the changes and publishes ClinicChannelUpdated. The caller must have locked the channel. */
export async function updateChannel(tx: Tx, channel: ChannelRow, changes: Partial<ChannelState>): Promise<ChannelRow> {
  const next = { ...channel, ...changes };
  const updated = await getRow(tx, updateStatement, [channel.clinic_id, ...STATE.map((column) => next[column])]);
  const { clinic_id, status, bot_enabled, revision } = updated;
  await emit(tx, clinic_id, ClinicChannelUpdatedSchema, { status, botEnabled: bot_enabled, revision });
  return updated;
}

// The status is checked because releases without proofs, which may run during a rollout, do not clear proven_number_id when they disconnect a
// clinic.
const byNumberStatement = sql<{ number_id: string; clinic_id: string | null }>(`
  select n.number_id, p.clinic_id from unnest($1::text[]) as n (number_id)
  left join channels p on p.proven_number_id = n.number_id and p.status <> 'disconnected'
  where p.clinic_id is not null or exists (select from channels c where c.phone_number_id = n.number_id)
    or exists (select from next_channels c where c.phone_number_id = n.number_id)`);

/** The clinics that have proven the numbers, by number: null if a number was entered but not proven, no entry if it is unknown. */
export async function findClinicsByNumber(tx: SystemTx, numberIds: string[]): Promise<Map<string, string | null>> {
  const found = await rows(tx, byNumberStatement, [numberIds]);
  return new Map(found.map(({ number_id, clinic_id }) => [number_id, clinic_id]));
}

const failStatement = sql<ChannelRow>(`
  select ${COLUMNS} from channels
  where clinic_id = $1 and status = 'active' and phone_number_id = $2 and access_token_sealed = coalesce($3, access_token_sealed) for update`);

/** The number and, if known, the token with which a message was sent. */
export type Account = { phone_number_id: string | null; access_token_sealed?: Buffer | null };

export const NOTIFY_CHANNEL_FAILED = 'notify-channel-failed';

/**
 * Marks the clinic's channel as failed after the provider has refused its account, and queues a mail to the admins. Changes nothing if the channel
 * has another number or token meanwhile, or is no longer active.
 */
export async function markChannelFailed(tx: Tx, clinicId: string, { phone_number_id, access_token_sealed }: Account, detail: string): Promise<void> {
  const channel = await row(tx, failStatement, [clinicId, phone_number_id, access_token_sealed ?? null]);
  if (!channel) return;
  await updateChannel(tx, channel, { status: 'failed', detail });
  await enqueue(tx, NOTIFY_CHANNEL_FAILED, { id: randomUUID(), clinicId });
}

/** Longer than the pause after any attempt. */
export const LONGEST_PAUSE = '1 hour';

// During a rollout, releases without proofs may leave an active channel without one. Its number is confirmed again.
const takeDueStatement = sql<{ clinic_id: string }>(`
  update channels set retry_at = $2, status = 'verifying'
  where (status = 'verifying' and ${hasPassed('retry_at', '$1::timestamptz', LONGEST_PAUSE)})
    or (status = 'active' and phone_number_id <> coalesce(proven_number_id, '')) returning clinic_id`);

/** Claims the clinics whose connection is due for another attempt. Other processes do not claim them before `until`. */
export const claimDueBindings = (tx: Tx, now: Date, until: Date) => rows(tx, takeDueStatement, [now, until]);
