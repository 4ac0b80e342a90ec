// The clinic's number at the chat provider. Its secrets are sealed.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { row, rows, run, type SystemTx, sql, type TenantTx, type Tx } from '@clinic/lib/db.ts';
import { emit } from '@clinic/lib/outbox.ts';
import { ClinicChannelUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import type { ChannelSettingsSchema } from '@clinic/proto/messaging/v1/channel_pb.js';

export type ChannelStatus = 'disconnected' | 'pending_otp' | 'verifying' | 'active' | 'failed';

export type ChannelRow = {
  clinic_id: string;
  status: ChannelStatus;
  detail: string;
  display_number: string;
  phone_number_id: string | null;
  waba_id: string | null;
  access_token_sealed: Buffer | null;
  verify_token_sealed: Buffer | null;
  pin_sealed: Buffer | null;
  bot_enabled: boolean;
  retry_at: Date | null;
  attempts: number;
  revision: number;
};

/** `token` and `verifyToken` as the settings show them. */
export function toSettings(
  channel: ChannelRow | undefined,
  token: string | undefined,
  verifyToken: string | undefined,
): MessageInitShape<typeof ChannelSettingsSchema> {
  return {
    chatPhoneNumberId: channel?.phone_number_id ?? undefined,
    chatBusinessAccountId: channel?.waba_id ?? undefined,
    chatAccessToken: token,
    chatVerifyToken: verifyToken,
    chatStatus: channel?.status ?? 'disconnected',
    botEnabled: channel?.bot_enabled ?? false,
  };
}

const COLUMNS = `clinic_id, status, detail, display_number, phone_number_id, waba_id, access_token_sealed, verify_token_sealed, pin_sealed, bot_enabled,
  retry_at, attempts, revision`;

/** $1 clinic. */
export const findChannelStatement = sql<ChannelRow>(`select ${COLUMNS} from channels where clinic_id = $1`);

export function findChannel(tx: TenantTx): Promise<ChannelRow | undefined> {
  return row(tx, findChannelStatement, [tx.clinicId]);
}

const ensureStatement = sql('insert into channels (clinic_id) values ($1) on conflict do nothing');
const lockStatement = sql<ChannelRow>(`select ${COLUMNS} from channels where clinic_id = $1 for update`);

/** The channel, made when the clinic has none yet, locked until the transaction ends. */
export async function lockChannel(tx: TenantTx): Promise<ChannelRow> {
  const [, channel] = await Promise.all([run(tx, ensureStatement, [tx.clinicId]), row(tx, lockStatement, [tx.clinicId])]);
  return channel as ChannelRow; // there is one now
}

export type ChannelState = Omit<ChannelRow, 'clinic_id' | 'revision'>;

const updateStatement = sql<ChannelRow>(`
  update channels set status = $2, detail = $3, display_number = $4, phone_number_id = $5, waba_id = $6, access_token_sealed = $7,
    verify_token_sealed = $8, pin_sealed = $9, bot_enabled = $10, retry_at = $11, attempts = $12, revision = revision + 1, updated_at = now()
  where clinic_id = $1
  returning ${COLUMNS}`);

/** Writes the changed channel and tells of it. It must have been locked before. */
export async function updateChannel(tx: TenantTx, channel: ChannelRow, changes: Partial<ChannelState>): Promise<ChannelRow> {
  const next = { ...channel, ...changes };
  const values = [
    tx.clinicId,
    next.status,
    next.detail,
    next.display_number,
    next.phone_number_id,
    next.waba_id,
    next.access_token_sealed,
    next.verify_token_sealed,
    next.pin_sealed,
    next.bot_enabled,
    next.retry_at,
    next.attempts,
  ];
  const updated = (await row(tx, updateStatement, values)) as ChannelRow;
  await emit(tx, tx.clinicId, ClinicChannelUpdatedSchema, { status: updated.status, botEnabled: updated.bot_enabled, revision: updated.revision });
  return updated;
}

const byNumberStatement = sql<{ clinic_id: string; phone_number_id: string }>(`
  select clinic_id, phone_number_id from channels where phone_number_id = any($1)`);

/** The clinics that the numbers lead to. */
export async function findClinicsOf(tx: SystemTx, numberIds: string[]): Promise<Map<string, string>> {
  const found = await rows(tx, byNumberStatement, [numberIds]);
  return new Map(found.map(({ clinic_id, phone_number_id }) => [phone_number_id, clinic_id]));
}

const failStatement = sql<ChannelRow>(`select ${COLUMNS} from channels where clinic_id = $1 and status <> 'disconnected' for update`);

/** Takes a channel out of service that the provider refuses to serve. */
export async function failChannel(tx: TenantTx, detail: string): Promise<void> {
  const channel = await row(tx, failStatement, [tx.clinicId]);
  if (channel && channel.status !== 'failed') await updateChannel(tx, channel, { status: 'failed', detail });
}

const takeDueStatement = sql<{ clinic_id: string }>(`
  update channels set retry_at = $2 where retry_at <= $1 and status = 'verifying' returning clinic_id`);

/** Clinics whose binding is to be tried again, kept from others until `until`. */
export function takeDueBindings(tx: Tx, now: Date, until: Date): Promise<{ clinic_id: string }[]> {
  return rows(tx, takeDueStatement, [now, until]);
}
