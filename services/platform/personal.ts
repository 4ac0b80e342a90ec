// What platform keeps of people and clinics, for data-subject requests. Of patients it knows nothing.
import type { PersonalData } from '@clinic/lib/personal-data.ts';

export default {
  tables: [
    {
      table: 'demo_requests',
      ofClinic: 'invite_code_id in (select i.id from invite_codes i where i.used_by_clinic_id = $1)',
      withClinic: { clinic_name: "'—'", contact_name: "'—'", email: "'erased@invalid'", phone: 'null', city: 'null', message: 'null' },
    },
    { table: 'invite_codes', ofClinic: 'used_by_clinic_id = $1', withClinic: { email: 'null', notes: 'null' } },
    { table: 'clinics_seen' },
    { table: 'appointments_seen' },
    { table: 'orders_seen', withClinic: 'keep', why: 'sums and days of what was paid, without names, for the books' },
  ],
  sealed: [],
} satisfies PersonalData as PersonalData;
