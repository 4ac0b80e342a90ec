// Clinics as events tell of them.
import { sql } from '@clinic/lib/db/db.ts';
import type { ClinicRow } from './clinics.sql.ts';

type ClinicStateRow = Pick<ClinicRow, 'clinic_id' | 'subscription_plan' | 'subscription_expires_at' | 'is_active' | 'timezone' | 'created_at' | 'revision'>;

/** $1 id of the last row of the page before, $2 limit. */
export const pageClinicStatesStatement = sql<ClinicStateRow>(`
  select clinic_id, subscription_plan, subscription_expires_at, is_active, timezone, created_at, revision from clinics
  where clinic_id > $1 order by clinic_id limit $2`);
