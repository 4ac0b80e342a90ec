-- Edits and deletions by patients, which mark the message that they are about.
-- outside a transaction
drop index concurrently if exists messages_changes;
create index concurrently messages_changes on messages (clinic_id, conversation_id) where type in ('edit', 'revoke');
