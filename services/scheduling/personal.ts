// What scheduling keeps of people and clinics, for data-subject requests.
import type { PersonalData } from '@clinic/lib/personal-data.ts';
import { tellOfErasure } from './patients/tell-of-erasure.ts';
import sealed from './sealed.ts';

const FIGURES = 'ids, days and sums alone, for the statistics';
const ENTRIES = 'select w.id from waitlist_entries w where w.clinic_id = $1 and w.patient_id = any($ids)';

export default {
  tables: [
    { table: 'waitlist_offers', ofPatient: `entry_id in (${ENTRIES})`, erase: 'delete' },
    { table: 'waitlist_entries', ofPatient: 'patient_id = any($ids)', erase: 'delete' },
    { table: 'patient_merges', ofPatient: 'kept_id = any($ids) or merged_id = any($ids)', erase: 'delete' },
    // Visits stay for the statistics, of somebody who is nobody any more.
    { table: 'appointments', ofPatient: 'patient_id = any($ids)', erase: { notes: 'null', cancellation_reason: 'null' } },
    { table: 'commission_entries', ofPatient: 'patient_id = any($ids)', why: FIGURES },
    {
      table: 'patients',
      ofPatient: 'id = any($ids)',
      erase: {
        full_name: "'Paciente eliminado'",
        search_name: "' paciente eliminado'",
        phone: 'null',
        dui_sealed: 'null',
        dui_index: 'null',
        dui_verified: 'null',
        email: 'null',
        birth_date: 'null',
        gender: 'null',
        address: 'null',
        notes: 'null',
        recall_opted_out: 'true',
        guardian_id: 'null',
        archived_at: 'coalesce(archived_at, now())',
        erased_at: 'coalesce(erased_at, now())',
      },
      // Guardians, and records that others were merged into.
      whole: true,
    },
    { table: 'patient_import_faults' },
    { table: 'patient_import_chunks' },
    { table: 'patient_imports' },
    { table: 'commission_voids' },
    { table: 'commission_rules' },
    { table: 'slot_drafts' },
    { table: 'doctor_photos' },
    { table: 'doctor_vacations' },
    { table: 'doctor_breaks' },
    { table: 'doctor_working_hours' },
    { table: 'doctors', secret: ['feed_token_sealed'] },
    { table: 'agenda_mails' },
    { table: 'agenda_subscriptions' },
    { table: 'analytics_patient_days', ofPatient: 'patient_id = any($ids)', why: FIGURES },
    { table: 'analytics_treatment_visits' },
    { table: 'analytics_treatments', ofPatient: 'patient_id = any($ids)', why: FIGURES },
    { table: 'analytics_receivables' },
    { table: 'analytics_revenue' },
    { table: 'analytics_payment_plans', ofPatient: 'patient_id = any($ids)', why: FIGURES },
    { table: 'analytics_documents' },
    { table: 'analytics_document_days' },
    { table: 'analytics_receivable_days' },
    { table: 'analytics_procedure_days' },
    { table: 'analytics_revenue_days' },
    { table: 'analytics_hours' },
    { table: 'analytics_days' },
    { table: 'analytics_treatment_days' },
    { table: 'analytics_seen_days' },
    { table: 'analytics_clinics' },
    { table: 'clinics' },
  ],
  sealed,
  erased: tellOfErasure,
} satisfies PersonalData as PersonalData;
