-- Each event and each stored response is written with fewer entries in indexes. An event gets its entry by time of publication when it is
-- published. Stored responses come in the order of their times, so that a summary of each range of pages finds the old ones.
-- outside a transaction
drop index concurrently if exists outbox_published_at;
create index concurrently outbox_published_at on outbox (published_at) where published_at is not null;
drop index concurrently if exists outbox_published;
drop index concurrently if exists idempotency_keys_by_age;
create index concurrently idempotency_keys_by_age on idempotency_keys using brin (created_at) with (pages_per_range = 32);
drop index concurrently if exists idempotency_keys_created;
