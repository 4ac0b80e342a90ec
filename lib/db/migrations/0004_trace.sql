-- Which trace an event belongs to, where traces are made: a W3C traceparent, which the transaction of the change knows. The
-- default is set apart, so that the table is not written anew.
alter table outbox add column trace text;
alter table outbox alter column trace set default nullif(current_setting('app.trace', true), '');
