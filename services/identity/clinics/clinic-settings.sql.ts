// Settings and profile of a clinic.
import { type Db, execute, readTenant, row, type SystemTx, sql, type TenantTx, type Tx } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import type { Plan } from '@clinic/lib/formats/plans.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { ChannelSettings } from '@clinic/proto/messaging/v1/channel_pb.js';
import { SWITCHED_OFF } from '../plans/switched-off.sql.ts';

export type SettingsRow = {
  clinic_id: string;
  name: string;
  slug: string;
  phone: string | null;
  address: string | null;
  city: string | null;
  country: string;
  timezone: string;
  currency: string;
  logo_id: string | null;
  clinic_type: string;
  is_active: boolean;
  subscription_plan: Plan;
  subscription_expires_at: Date | null;
  revision: number;
  require_mfa_for_admins: boolean;
  cancellation_notice_hours: number;
  cancellation_text: string | null;
  /** 0: no limit. */
  booking_no_show_limit: number;
  booking_origins: string[];
  /** Features that the clinic has switched off. */
  switched_off: string[];
};

/** Fields whose values the audit log masks. */
export const PERSONAL_FIELDS = ['phone', 'address'];

/** All columns as fields, and the URL of the logo. Each response takes the fields that it defines. */
export function toProfile(clinic: SettingsRow, publicUrl: string) {
  return { ...toFields(clinic), id: clinic.clinic_id, logoUrl: clinic.logo_id ? `${publicUrl}/api/clinics/logos/${clinic.logo_id}` : undefined };
}

/** The settings including those of the chat channel, which messaging stores. */
export function toSettings(clinic: SettingsRow, { $typeName, $unknown, hasFailed, ...chat }: ChannelSettings, publicUrl: string) {
  return { ...toProfile(clinic, publicUrl), ...chat };
}

const COLUMNS = `c.clinic_id, c.name, c.slug, c.phone, c.address, c.city, c.country, c.timezone, c.currency, c.logo_id, c.clinic_type, c.is_active,
  c.subscription_plan, c.subscription_expires_at, c.revision, c.require_mfa_for_admins, c.cancellation_notice_hours, c.cancellation_text, c.booking_no_show_limit, c.booking_origins,
  ${SWITCHED_OFF} as switched_off`;

const findStatement = sql<SettingsRow>(`select ${COLUMNS} from clinics c where c.clinic_id = $1`);

export const getSettings = async (db: Db, clinicId: string) => found((await readTenant(db, clinicId, findStatement, [clinicId]))[0], 'Clinic');

export const getSettingsIn = async (tx: Tx, clinicId: string) => found(await row(tx, findStatement, [clinicId]), 'Clinic');

const lockStatement = sql('select from clinics where clinic_id = $1 for no key update');

/** Reads after the lock is held: the statement that waits for it does not see what others stored in the other tables meanwhile. */
export async function lockSettings(tx: TenantTx): Promise<SettingsRow> {
  const [, settings] = await Promise.all([execute(tx, lockStatement, [tx.clinicId]), getSettingsIn(tx, tx.clinicId)]);
  return settings;
}

/** The columns that PATCH /api/clinics/settings can change. */
const SETTABLE = [
  'name',
  'phone',
  'address',
  'city',
  'timezone',
  'currency',
  'require_mfa_for_admins',
  'cancellation_notice_hours',
  'cancellation_text',
  'booking_no_show_limit',
  'booking_origins',
] as const satisfies (keyof SettingsRow)[];

export type ProfileFields = Pick<SettingsRow, (typeof SETTABLE)[number]>;

const updateStatement = sql(`
  update clinics set ${SETTABLE.map((column, index) => `${column} = $${index + 3}`).join(', ')}, updated_at = $2, revision = revision + 1
  where clinic_id = $1`);

/** The clinic must be locked. */
export const updateProfileFields = (tx: TenantTx, profile: ProfileFields, now: Date) =>
  execute(tx, updateStatement, [tx.clinicId, now, ...SETTABLE.map((column) => profile[column])]);

const setLogoStatement = sql('update clinics set logo_id = $2, updated_at = $3, revision = revision + 1 where clinic_id = $1');

export const setLogoId = (tx: TenantTx, logoId: string | null, now: Date) => execute(tx, setLogoStatement, [tx.clinicId, logoId, now]);

const reviseStatement = sql('update clinics set updated_at = $2, revision = revision + 1 where clinic_id = $1');

/** Increases the revision for a change that is stored in another table, such as feature_toggles. */
export const incrementRevision = (tx: TenantTx, now: Date) => execute(tx, reviseStatement, [tx.clinicId, now]);

const botStatement = sql(`
  update clinics set bot_enabled = $2, channel_revision = $3 where clinic_id = $1 and channel_revision < $3`);

/** Stores whether the bot is enabled, unless a newer revision was stored before. */
export async function setBotEnabled(tx: SystemTx, clinicId: string, enabled: boolean, revision: number): Promise<void> {
  await execute(tx, botStatement, [clinicId, enabled, revision]);
}

type LetterheadRow = Pick<SettingsRow, 'name' | 'phone' | 'address' | 'city' | 'currency'> & { logo: Buffer | null };

const findLetterheadStatement = sql<LetterheadRow>(`
  select c.name, c.phone, c.address, c.city, c.currency, p.content as logo
  from clinics c left join pictures p on p.clinic_id = c.clinic_id and p.id = c.logo_id where c.clinic_id = $1`);

/** The data of the clinic that printed documents show. */
export const getLetterhead = async (db: Db, clinicId: string) => found((await readTenant(db, clinicId, findLetterheadStatement, [clinicId]))[0], 'Clinic');
