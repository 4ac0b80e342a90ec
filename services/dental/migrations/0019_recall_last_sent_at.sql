-- When the message was last sent: a message that failed may be sent again, and sent_at is the first time.
alter table recall_contacts add column last_sent_at timestamptz;
