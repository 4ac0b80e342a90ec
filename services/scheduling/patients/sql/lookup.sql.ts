// The little that other services may know of patients.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { sql } from '@clinic/lib/db/db.ts';
import type { FoundPatientSchema } from '@clinic/proto/scheduling/v1/lookup_pb.js';

export type FoundPatientRow = {
  id: string;
  full_name: string;
  phone: string | null;
  reachable_phone: string | null;
  recall_opted_out: boolean;
  birth_date: string | null;
  archived_at: Date | null;
  merged_into: string | null;
};

export function toFound(patient: FoundPatientRow): MessageInitShape<typeof FoundPatientSchema> {
  return {
    id: patient.id,
    fullName: patient.full_name,
    phone: patient.phone ?? undefined,
    reachablePhone: patient.reachable_phone ?? undefined,
    recallOptedOut: patient.recall_opted_out,
    birthDate: patient.birth_date ?? undefined,
    isArchived: patient.archived_at !== null,
  };
}

/** $1 clinic, $2 patients. Archived ones are found too: treatment and debts outlive the archive. */
export const lookUpPatientsStatement = sql<FoundPatientRow>(`
  select p.id, p.full_name, p.phone, coalesce(p.phone, g.phone) as reachable_phone, p.recall_opted_out, p.birth_date, p.archived_at, p.merged_into
  from patients p left join patients g on g.clinic_id = p.clinic_id and g.id = p.guardian_id
  where p.clinic_id = $1 and p.id = any($2)`);

/** $1 clinic and $2 id of the last row of the page before, $3 limit. */
export const pagePatientStatesStatement = sql<{
  clinic_id: string;
  id: string;
  phone: string | null;
  guardian_id: string | null;
  recall_opted_out: boolean;
  archived_at: Date | null;
  revision: number;
}>(`
  select clinic_id, id, phone, guardian_id, recall_opted_out, archived_at, revision from patients
  where (clinic_id, id) > ($1, $2) order by clinic_id, id limit $3`);
