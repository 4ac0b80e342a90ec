// What identity keeps of people and clinics, for data-subject requests. Of patients it knows nothing.
import type { PersonalData } from '@clinic/lib/personal-data.ts';
import sealed from './sealed.ts';

export default {
  tables: [
    { table: 'expiry_warnings' },
    { table: 'applied_subscriptions' },
    { table: 'feature_toggles' },
    { table: 'refresh_tokens', secret: ['successor_sealed'] },
    { table: 'session_families' },
    { table: 'password_recoveries', secret: ['token_sealed'] },
    { table: 'recovery_requests', ofClinic: null, why: 'nobody knows whose it is before it is worked on, a moment later, and then it is gone' },
    { table: 'users', whole: true },
    // The clinic names its logo, and each picture its clinic.
    { table: 'clinics', withClinic: { logo_id: 'null' } },
    { table: 'pictures' },
    { table: 'clinics' },
  ],
  sealed,
} satisfies PersonalData as PersonalData;
