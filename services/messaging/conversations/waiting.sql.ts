// Chats that wait for a person: taken over or handed over by the bot, with messages that nobody has read.
import { sql } from '@clinic/lib/db/db.ts';

export type WaitingRow = {
  id: string | null;
  phone: string;
  patient_id: string | null;
  patient_name: string | null;
  unread_count: number;
  last_message: string | null;
  last_message_at: Date | null;
  total: number;
};

const WAITS = `clinic_id = $1 and status = 'open' and unread_count > 0 and human_until > $2`;

/** $1 clinic, $2 now, $3 limit. The longest waiting first; always a row, which carries the total. */
export const waitingChatsStatement = sql<WaitingRow>(`
  select counted.total, page.* from (select count(*)::int as total from conversations where ${WAITS}) counted
  left join lateral (
    select id, phone, patient_id, coalesce(patient_name, profile_name) as patient_name, unread_count, last_message, last_message_at
    from conversations where ${WAITS} order by last_message_at nulls last, id limit $3
  ) page on true`);
