-- When the message failed: of a sending and a failure the later one applies, in whichever order their events arrive.
alter table recall_contacts add column failed_at timestamptz;
