// What waits to be worked on by messaging's own loops, over all clinics.
import { sql } from '@clinic/lib/db/db.ts';
import type { QueueRow } from '@clinic/lib/jobs/queue-age.ts';

export const QUEUES = ['chat-inbound', 'chat-outbound', 'reminders'];

export const queuesStatement = sql<QueueRow>(`
  select 'chat-inbound' as queue, count(*) as waiting, extract(epoch from now() - min(received_at))::float8 as seconds
  from chat_events where status = 'received'
  union all
  select 'chat-outbound', count(*), extract(epoch from now() - min(next_attempt_at))::float8 from outbound where state = 'queued' and next_attempt_at <= now()
  union all
  select 'reminders', count(*), extract(epoch from now() - min(due_at))::float8 from reminders where state = 'planned' and due_at <= now()`);
