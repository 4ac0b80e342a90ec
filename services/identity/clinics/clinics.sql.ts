// Clinics: the tenant record with plan, expiry and suspension.
import { type Db, execute, getRow, readSystem, row, sql, type TenantTx, type Tx } from '@clinic/lib/db/db.ts';
import type { Plan } from '@clinic/lib/formats/plans.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { renews } from '../plans/renews.sql.ts';
import { SWITCHED_OFF } from '../plans/switched-off.sql.ts';
import type { SettingsRow } from './clinic-settings.sql.ts';
import { isUnderWay } from './under-way.sql.ts';

type SubscriptionColumn = 'is_active' | 'subscription_plan' | 'subscription_expires_at';

export type ClinicRow = Pick<SettingsRow, 'clinic_id' | 'name' | 'slug' | 'city' | 'phone' | 'timezone' | 'revision' | SubscriptionColumn> & {
  bot_enabled: boolean;
  created_at: Date;
  /** Active users. */
  user_count: number;
};

export const toProto = (clinic: ClinicRow) => ({ ...toFields(clinic), id: clinic.clinic_id });

const COLUMNS = `c.clinic_id, c.name, c.slug, c.city, c.phone, c.timezone, c.is_active, c.subscription_plan, c.subscription_expires_at, c.bot_enabled,
  c.revision, c.created_at, (select count(*)::int from users u where u.clinic_id = c.clinic_id and u.is_active) as user_count`;

const listStatement = sql<ClinicRow>(`select ${COLUMNS} from clinics c order by c.created_at desc, c.clinic_id desc`);

/** All clinics, newest first. */
export const listAllClinics = (db: Db): Promise<ClinicRow[]> => readSystem(db, listStatement, []);

const lockStatement = sql<ClinicRow>(`select ${COLUMNS} from clinics c where c.clinic_id = $1 for update of c`);

export const lockClinic = (tx: Tx, clinicId: string) => row(tx, lockStatement, [clinicId]);

export type NewClinic = Pick<SettingsRow, 'name' | 'phone' | 'city' | 'timezone' | 'clinic_type' | 'subscription_expires_at'> & {
  subscription_plan: string;
  invite_code_id: string;
};

const insertStatement = sql(`
  insert into clinics (clinic_id, slug, name, phone, city, timezone, clinic_type, subscription_plan, subscription_expires_at, invite_code_id,
    created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
  on conflict on constraint clinics_slug_unique do nothing`);

/** False if another clinic has the slug. Violates clinics_invite_code_unique if the code has already registered a clinic. */
export async function insertClinic(tx: TenantTx, slug: string, clinic: NewClinic, now: Date): Promise<boolean> {
  const { name, phone, city, timezone, clinic_type, subscription_plan, subscription_expires_at, invite_code_id } = clinic;
  const values = [tx.clinicId, slug, name, phone, city, timezone, clinic_type, subscription_plan, subscription_expires_at, invite_code_id, now];
  return (await execute(tx, insertStatement, values)) === 1;
}

const updateStatement = sql<ClinicRow>(`
  update clinics c set subscription_plan = $2, subscription_expires_at = $3, is_active = $4, updated_at = $5, revision = revision + 1
  where clinic_id = $1
  returning ${COLUMNS}`);

/** The clinic must be locked. */
export const updateClinic = (tx: Tx, clinicId: string, state: Pick<ClinicRow, SubscriptionColumn>, now: Date) =>
  getRow(tx, updateStatement, [clinicId, state.subscription_plan, state.subscription_expires_at, state.is_active, now]);

type AccessStateRow = Omit<
  SettingsRow,
  'logo_id' | 'revision' | 'require_mfa_for_admins' | 'cancellation_notice_hours' | 'cancellation_text' | 'booking_no_show_limit'
> & {
  /** Whether an operator made the clinic read-only, or a maintenance is under way. */
  read_only: boolean;
  subscription_renews: boolean;
};

const findStateStatement = sql<AccessStateRow>(`
  select c.clinic_id, c.slug, c.phone, c.address, c.city, c.booking_origins, c.name, c.is_active, c.subscription_plan, c.subscription_expires_at, c.timezone, c.clinic_type, c.country, c.currency,
    ${SWITCHED_OFF} as switched_off,
    exists (select from maintenance where ${isUnderWay('$2')})
      or exists (select from clinic_limits l where l.clinic_id = c.clinic_id and l.read_only) as read_only,
    ${renews('c')} as subscription_renews
  from clinics c where c.clinic_id = $1 or c.slug = $3`);

/** As the system: a maintenance belongs to no clinic. */
export const findClinicState = async (db: Db, { clinicId, slug }: { clinicId?: string; slug?: string }, now: Date) =>
  (await readSystem(db, findStateStatement, [clinicId, now, slug]))[0];

type StateRow = Pick<ClinicRow, 'clinic_id' | 'subscription_expires_at' | 'is_active' | 'timezone' | 'revision'> & { plan: Plan; registered_at: Date };

const pageStatement = sql<StateRow>(`
  select clinic_id, subscription_plan as plan, subscription_expires_at, is_active, timezone, created_at as registered_at, revision from clinics
  where clinic_id > $1 order by clinic_id limit $2`);

/** As the system: over all clinics, in the order of their ids. */
export const listClinicsAfter = (db: Db, clinicId: string, limit: number) => readSystem(db, pageStatement, [clinicId, limit]);

const lockPlanStatement = sql<{ subscription_plan: Plan }>('select subscription_plan from clinics where clinic_id = $1 for no key update');

/** Locks the clinic until the transaction ends. Users are counted under this lock. */
export const lockPlan = async (tx: TenantTx) => (await row(tx, lockPlanStatement, [tx.clinicId]))?.subscription_plan;
