-- When a reminder was passed on as a mail, because the clinic has no chat; its state is then queued.
alter table reminders add column mailed_at timestamptz;
