// What an appointment that is moved needs.
import { type Db, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { ResourceKind } from '../resources/resources.sql.ts';

type MovedNeeds = { doctor_id: string; type_id: string | null; duration_minutes: number | null; resource_kind: ResourceKind | null };

const findStatement = sql<MovedNeeds>(`
  select a.doctor_id, a.type_id, a.duration_minutes, (
    select r.kind from resources r where r.clinic_id = a.clinic_id and r.id = a.resource_id
      and exists (select from resources o where o.clinic_id = r.clinic_id and o.kind = r.kind and o.is_active)) as resource_kind
  from appointments a where a.clinic_id = $1 and a.id = $2`);

/**
 * The doctor, type and length of an appointment, and the kind of its chair or room unless the clinic no longer has any of that kind. Undefined for an
 * unknown appointment.
 */
export const findMovedNeedsIn = (tx: TenantTx, appointmentId: string) => row(tx, findStatement, [tx.clinicId, appointmentId]);

/** findMovedNeedsIn() outside of a transaction. */
export const findMovedNeeds = async (db: Db, clinicId: string, appointmentId: string) =>
  (await readTenant(db, clinicId, findStatement, [clinicId, appointmentId]))[0];
