-- The deliveries that wait for the proof of a number, for their release and for the end of their seven days.
-- outside a transaction
drop index concurrently if exists chat_events_unproven;
create index concurrently chat_events_unproven on chat_events (received_at) where status = 'unproven_number';
