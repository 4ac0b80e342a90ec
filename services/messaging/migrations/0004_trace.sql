-- Reminders and messages remember the trace of what asked for them, where traces are made: see lib/migrations/0004_trace.sql.
alter table reminders add column trace text;
alter table reminders alter column trace set default nullif(current_setting('app.trace', true), '');
alter table outbound add column trace text;
alter table outbound alter column trace set default nullif(current_setting('app.trace', true), '');
