// What a clinic's own people set of it.
import { execute, row, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Plan } from '../plans/plans-rules.ts';
import { toTimestamp } from './clinics.sql.ts';

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
  /** Features that the clinic does not want. */
  switched_off: string[];
};

/** Fields that an audit log shows as changed, never as they are. */
export const PERSONAL_FIELDS = ['phone', 'address'];

export function toCard(clinic: SettingsRow, publicUrl: string) {
  return {
    id: clinic.clinic_id,
    name: clinic.name,
    slug: clinic.slug,
    phone: clinic.phone ?? undefined,
    address: clinic.address ?? undefined,
    city: clinic.city ?? undefined,
    country: clinic.country,
    timezone: clinic.timezone,
    currency: clinic.currency,
    logoUrl: clinic.logo_id ? `${publicUrl}/api/clinics/logos/${clinic.logo_id}` : undefined,
  };
}

/** The card with the state of the subscription. */
export function toDetails(clinic: SettingsRow, publicUrl: string) {
  const { clinic_type, is_active, subscription_plan, subscription_expires_at } = clinic;
  return {
    ...toCard(clinic, publicUrl),
    clinicType: clinic_type,
    isActive: is_active,
    subscriptionPlan: subscription_plan,
    subscriptionExpiresAt: toTimestamp(subscription_expires_at),
  };
}

const COLUMNS = `c.clinic_id, c.name, c.slug, c.phone, c.address, c.city, c.country, c.timezone, c.currency, c.logo_id, c.clinic_type, c.is_active,
  c.subscription_plan, c.subscription_expires_at, c.revision,
  array(select t.feature from feature_toggles t where t.clinic_id = c.clinic_id and not t.enabled) as switched_off`;

/** $1 clinic. */
export const findSettingsStatement = sql<SettingsRow>(`select ${COLUMNS} from clinics c where c.clinic_id = $1`);

export function findSettings(tx: TenantTx): Promise<SettingsRow | undefined> {
  return row(tx, findSettingsStatement, [tx.clinicId]);
}

const lockStatement = sql<SettingsRow>(`select ${COLUMNS} from clinics c where c.clinic_id = $1 for no key update of c`);

export function lockSettings(tx: TenantTx): Promise<SettingsRow | undefined> {
  return row(tx, lockStatement, [tx.clinicId]);
}

export type ProfileFields = Pick<SettingsRow, 'name' | 'phone' | 'address' | 'city' | 'timezone' | 'currency'>;

const updateStatement = sql(`
  update clinics set name = $2, phone = $3, address = $4, city = $5, timezone = $6, currency = $7, updated_at = $8, revision = revision + 1
  where clinic_id = $1`);

/** The clinic must have been locked before. */
export async function updateProfile(tx: TenantTx, { name, phone, address, city, timezone, currency }: ProfileFields, now: Date): Promise<void> {
  await execute(tx, updateStatement, [tx.clinicId, name, phone, address, city, timezone, currency, now]);
}

const setLogoStatement = sql('update clinics set logo_id = $2, updated_at = $3, revision = revision + 1 where clinic_id = $1');

export async function setLogo(tx: TenantTx, logoId: string | null, now: Date): Promise<void> {
  await execute(tx, setLogoStatement, [tx.clinicId, logoId, now]);
}

const reviseStatement = sql('update clinics set updated_at = $2, revision = revision + 1 where clinic_id = $1');

/** For changes that stand in other tables. */
export async function revise(tx: TenantTx, now: Date): Promise<void> {
  await execute(tx, reviseStatement, [tx.clinicId, now]);
}

const botStatement = sql(`
  update clinics set bot_enabled = $2, channel_revision = $3 where clinic_id = $1 and channel_revision < $3`);

/** What messaging says of the bot; a late word changes nothing. */
export async function setBotEnabled(tx: SystemTx, clinicId: string, enabled: boolean, revision: number): Promise<void> {
  await execute(tx, botStatement, [clinicId, enabled, revision]);
}
