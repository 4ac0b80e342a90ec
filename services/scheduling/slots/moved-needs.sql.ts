// What an appointment that is moved needs.
import { row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { ResourceKind } from '../resources/resources.sql.ts';

const findStatement = sql<{ duration_minutes: number | null; resource_kind: ResourceKind | null }>(`
  select a.duration_minutes, (
    select r.kind from resources r where r.clinic_id = a.clinic_id and r.id = a.resource_id
      and exists (select from resources o where o.clinic_id = r.clinic_id and o.kind = r.kind and o.is_active)) as resource_kind
  from appointments a where a.clinic_id = $1 and a.id = $2`);

/**
 * The length of an appointment, and the kind of its chair or room unless the clinic no longer has any of that kind. Undefined for an unknown
 * appointment.
 */
export const findMovedNeeds = (tx: TenantTx, appointmentId: string) => row(tx, findStatement, [tx.clinicId, appointmentId]);
