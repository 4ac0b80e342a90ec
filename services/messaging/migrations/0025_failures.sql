-- Failed attempts that count toward the limit of attempts: not those during an outage or while a limit of the provider applies. Zero for messages of an
-- earlier release.
alter table outbound add column failures int not null default 0;
