-- For the release after this one, which gives it the next number: a test runs this release on it.
-- contract after 0.1.0: messages are sent from messages.content, and turns wait in a table of their own
drop trigger message_stored on messages;
drop trigger outbound_claimed on outbound;
drop function complete_content(), copy_content(), to_message_content(jsonb, jsonb), to_outbound_content(jsonb);
alter table outbound drop column content, drop column outside_window;
drop trigger turn_received on messages;
drop trigger turn_handled on messages;
drop function copy_turn();
drop index messages_waiting;
alter table messages drop column attempts, drop column retry_at;
-- messages.handled_at, turns.in_messages and outbound.resend are dropped one release later: until then this one writes them.
