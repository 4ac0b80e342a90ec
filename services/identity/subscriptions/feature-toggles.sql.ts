// Features that clinics have switched off or on, and guards, stored as permissions of the staff (toPermissions).
import { execute, sql, type TenantTx } from '@clinic/lib/db/db.ts';

const putStatement = sql(`
  insert into feature_toggles (clinic_id, feature, enabled)
  select $1, feature, enabled from unnest($2::text[], $3::boolean[]) as wanted (feature, enabled)
  on conflict (clinic_id, feature) do update set enabled = excluded.enabled`);

export const putToggles = (tx: TenantTx, wanted: Record<string, boolean>) =>
  execute(tx, putStatement, [tx.clinicId, Object.keys(wanted), Object.values(wanted)]);
