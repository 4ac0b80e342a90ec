// What messaging keeps of people and clinics, for data-subject requests.
import type { PersonalData } from '@clinic/lib/privacy/personal-data.ts';
import sealed from './sealed.ts';

const THREADS = 'select c.id from conversations c where c.clinic_id = $1 and (c.patient_id = any($ids) or c.phone = any($phones))';

export default {
  tables: [
    { table: 'messages', ofPatient: `conversation_id in (${THREADS})`, erase: 'delete' },
    { table: 'outbound', ofPatient: 'phone = any($phones)', erase: 'delete' },
    { table: 'bot_sessions', ofPatient: 'phone = any($phones)', erase: 'delete' },
    { table: 'conversations', ofPatient: 'patient_id = any($ids) or phone = any($phones)', erase: 'delete' },
    { table: 'assistant_actions', search: 'payload_sealed' },
    { table: 'assistant_messages', search: 'content_sealed' },
    // A talk goes with its title.
    { table: 'assistant_conversations', search: 'title_sealed' },
    {
      table: 'chat_events',
      search: 'body_sealed',
      decode: (opened) => Buffer.from(opened, 'base64').toString(),
      ofClinic: null,
      why: 'deliveries are deleted ten days after they were understood',
    },
    { table: 'mails', search: 'content_sealed', ofClinic: null, why: 'address and text are deleted as soon as a mail is sent' },
    { table: 'reminders' },
    { table: 'reminder_settings' },
    { table: 'bot_texts' },
    { table: 'canned_replies' },
    { table: 'faqs' },
    { table: 'assistant_summaries' },
    { table: 'assistant_usage' },
    { table: 'assistant_settings' },
    { table: 'channels', secret: ['access_token_sealed', 'verify_token_sealed', 'pin_sealed'] },
  ],
  sealed,
} satisfies PersonalData as PersonalData;
