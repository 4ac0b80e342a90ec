-- No index of `outbound` has a column that changes while a message is sent, and the key is found by one index only, whatever the planner
-- knows of the table. Code of the earlier release reads the whole table where it used the others, as long as it runs.
-- outside a transaction
drop index concurrently if exists outbound_by_phone;
create index concurrently outbound_by_phone on outbound (phone, seq);
drop index concurrently if exists outbound_by_reference;
create unique index concurrently outbound_by_reference on outbound (clinic_id, kind, reference) where reference is not null;
drop index concurrently if exists outbound_by_answered;
create unique index concurrently outbound_by_answered on outbound (clinic_id, answers) where answers is not null;
alter table outbound drop constraint if exists outbound_reference_unique, drop constraint if exists outbound_answers_once;
drop index concurrently if exists outbound_due;
drop index concurrently if exists outbound_of_phone;
drop index concurrently if exists outbound_open;
drop index concurrently if exists outbound_of_number;
drop index concurrently if exists outbound_provider_id;
drop index concurrently if exists outbound_dead;
