-- The highest revision of the appointment that has been handled, if it is above the one for which the reminder was planned.
alter table reminders add column seen_revision int;
