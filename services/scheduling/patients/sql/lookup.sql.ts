// Patients as other services see them, never with the DUI.
import { alphabetical } from '@clinic/lib/db/alphabetical.ts';
import { type Db, readSystem, readTenant, sql } from '@clinic/lib/db/db.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { type AlertRow, alertsOf, toProto as toAlert } from '../../medical-alerts/medical-alerts.sql.ts';
import { OWNER_OF_PHONE, type PatientState, STATE_COLUMNS } from './patients.sql.ts';

type FoundPatientRow = {
  id: string;
  full_name: string;
  phone: string | null;
  reachable_phone: string | null;
  reachable_email: string | null;
  recall_opted_out: boolean;
  birth_date: string | null;
  guardian_id: string | null;
  archived_at: Date | null;
  merged_into: string | null;
  erased_at: Date | null;
  alerts: AlertRow[];
};

export const toFound = (patient: FoundPatientRow) => ({
  ...toFields(patient),
  isArchived: patient.archived_at !== null,
  alerts: patient.alerts.map(toAlert),
});

// Ids and guardians are read one by one, by index: without statistics, as after a clinic's first import, PostgreSQL would compare each with all patients.
const foundIn = (patients: string) => `
  select p.id, p.full_name, p.phone, coalesce(p.phone, g.phone) as reachable_phone, coalesce(p.email, g.email) as reachable_email,
    p.recall_opted_out, p.birth_date, p.guardian_id, p.archived_at, p.merged_into, p.erased_at,
    ${alertsOf('p.clinic_id', 'p.id')}
  from ${patients} p
  left join lateral (select phone, email from patients where clinic_id = p.clinic_id and id = p.guardian_id limit 1) g on true`;

const byIdsStatement = sql<FoundPatientRow>(
  foundIn('(select distinct unnest($2::uuid[]) as id) given cross join lateral (select * from patients where clinic_id = $1 and id = given.id limit 1)'),
);

/** Archived patients are found too: treatment and debts outlive the archive. */
export const findByIds = (db: Db, clinicId: string, ids: string[]) => readTenant(db, clinicId, byIdsStatement, [clinicId, ids]);

const byPhoneStatement = sql<FoundPatientRow & { is_dependant: boolean }>(`
  with owner as (${OWNER_OF_PHONE})
  select found.*, found.id <> (select id from owner) as is_dependant
  from (
    ${foundIn('patients')} where p.clinic_id = $1 and p.id = (select id from owner)
    union all ${foundIn('patients')} where p.clinic_id = $1 and p.guardian_id = (select id from owner) and p.archived_at is null
  ) found
  order by is_dependant, ${alphabetical('found.full_name')}, found.id`);

/** The patient who has this phone, archived or not, and the dependants who are not archived. The phone of a merged record finds the patient it was merged into. */
export async function findByPhone(db: Db, clinicId: string, phone: string) {
  const found = await readTenant(db, clinicId, byPhoneStatement, [clinicId, phone]);
  return { patient: found.find(({ is_dependant }) => !is_dependant), dependants: found.filter(({ is_dependant }) => is_dependant) };
}

const pageStatesStatement = sql<PatientState & { clinic_id: string }>(`
  select clinic_id, ${STATE_COLUMNS} from patients
  where (clinic_id, id) > ($1, $2) order by clinic_id, id limit $3`);

/** Patients of all clinics by clinic and id, as the system. `page` comes from toKeysetPage. */
export const pagePatientStates = (db: Db, page: [string, string, number]) => readSystem(db, pageStatesStatement, page);
