-- Why the bot handed a conversation over to the staff.
alter table conversations add column handover_reason text;
