// What billing keeps of people and clinics, for data-subject requests.
import type { PersonalData } from '@clinic/lib/personal-data.ts';
import sealed from './sealed.ts';

const TAX = 'tax documents are kept for ten years, as the tax law demands; they stay sealed';
const BOOKS = 'sums and days of what was paid, without names, for the books';
const OF_DOCUMENT = 'document_id in (select d.id from dte_documents d where d.clinic_id = $1 and d.patient_id = any($ids))';

export default {
  tables: [
    { table: 'dte_tax_profiles', ofPatient: 'patient_id = any($ids)', erase: 'delete' },
    { table: 'dte_receiver_words', ofPatient: OF_DOCUMENT, erase: 'delete' },
    { table: 'dte_patient_merges', ofPatient: 'kept_id = any($ids) or merged_id = any($ids)', erase: 'delete' },
    { table: 'dte_events', ofPatient: OF_DOCUMENT, withClinic: 'keep', why: TAX },
    { table: 'dte_documents', ofPatient: 'patient_id = any($ids)', withClinic: 'keep', why: TAX },
    // A number must never be given twice, and a document must be read by who issued it.
    { table: 'dte_points_of_sale', withClinic: 'keep', why: TAX },
    { table: 'dte_counters', withClinic: 'keep', why: TAX },
    {
      table: 'dte_issuers',
      withClinic: { provider_sealed: 'null', signing_sealed: 'null' },
      secret: ['provider_sealed', 'signing_sealed'],
    },
    { table: 'payment_facts', ofClinic: 'clinic_id = $1 or named_clinic_id = $1', whole: true },
    { table: 'payment_events', whole: true },
    { table: 'clinic_subscriptions' },
    { table: 'orders', withClinic: 'keep', why: BOOKS },
  ],
  sealed,
} satisfies PersonalData as PersonalData;
