// What dental keeps of people and clinics, for data-subject requests.
import type { PersonalData } from '@clinic/lib/personal-data.ts';
import sealed from './sealed.ts';

const OF_PLAN = 'treatment_plan_id in (select p.id from treatment_plans p where p.clinic_id = $1 and p.patient_id = any($ids))';
const OF_PAYMENT_PLAN = 'payment_plan_id in (select p.id from payment_plans p where p.clinic_id = $1 and p.patient_id = any($ids))';
const OF_QUOTE = `quote_id in (select q.id from quotes q where q.clinic_id = $1 and q.${OF_PLAN})`;
const MONEY = 'what was paid, without a name: receipts are numbered without gaps';
const FIGURES = 'ids and days alone, for the statistics';

export default {
  tables: [
    { table: 'quote_acceptances', ofPatient: OF_QUOTE, erase: 'delete' },
    { table: 'quotes', ofPatient: OF_PLAN, erase: 'delete' },
    { table: 'payments', ofPatient: OF_PAYMENT_PLAN, erase: { notes: 'null', void_reason: "case when voided_at is not null then '—' end" } },
    { table: 'payment_instalments', ofPatient: OF_PAYMENT_PLAN, why: MONEY },
    {
      table: 'payment_plans',
      ofPatient: 'patient_id = any($ids)',
      erase: { description: "'—'", notes: 'null', treatment_plan_id: 'null', reminder_enabled: 'false' },
    },
    { table: 'treatment_steps', ofPatient: OF_PLAN, erase: 'delete' },
    { table: 'treatment_options', ofPatient: OF_PLAN, erase: 'delete' },
    { table: 'treatment_plans', ofPatient: 'patient_id = any($ids)', erase: 'delete' },
    // A correction names the entry that it replaces.
    { table: 'chart_entries', ofPatient: 'patient_id = any($ids)', erase: 'delete', whole: true },
    { table: 'charts', ofPatient: 'patient_id = any($ids)', erase: 'delete' },
    { table: 'periodontal_exams', ofPatient: 'patient_id = any($ids)', erase: 'delete' },
    { table: 'patient_merges', ofPatient: 'kept_id = any($ids) or merged_id = any($ids)', erase: 'delete' },
    { table: 'recall_contacts', ofPatient: 'patient_id = any($ids)', why: FIGURES },
    { table: 'recall_patients', ofPatient: 'patient_id = any($ids)', why: FIGURES },
    { table: 'recall_visits', ofPatient: 'patient_id = any($ids)', why: FIGURES },
    { table: 'recall_campaigns' },
    { table: 'recall_runs' },
    { table: 'recall_clinics' },
    { table: 'visit_states' },
    { table: 'prices' },
    { table: 'counters' },
    { table: 'clinic_zones' },
    { table: 'payment_totals' },
  ],
  sealed,
} satisfies PersonalData as PersonalData;
