// Patients in the order in which they were added, a page after another by the last id: as quick at the end as at the beginning.
import { sql } from '@clinic/lib/db/db.ts';
import type { PatientRow } from './patients.sql.ts';

export type ExportedRow = Pick<
  PatientRow,
  | 'clinic_id'
  | 'id'
  | 'full_name'
  | 'phone'
  | 'dui_sealed'
  | 'email'
  | 'birth_date'
  | 'gender'
  | 'address'
  | 'notes'
  | 'no_show_count'
  | 'recall_opted_out'
  | 'created_at'
> & { guardian_phone: string | null };

/** $1 clinic, $2 id of the last one, $3 limit. */
export const exportPatientsStatement = sql<ExportedRow>(`
  select p.clinic_id, p.id, p.full_name, p.phone, p.dui_sealed, p.email, p.birth_date, p.gender, p.address, p.notes, p.no_show_count, p.recall_opted_out,
    p.created_at, case when p.phone is null then g.phone end as guardian_phone
  from (select * from patients where clinic_id = $1 and id > $2 and archived_at is null order by id limit $3) p
  left join patients g on g.clinic_id = $1 and g.id = p.guardian_id
  order by p.id`);
