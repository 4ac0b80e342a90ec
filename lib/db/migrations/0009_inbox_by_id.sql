-- Old rows are found by the time in the id of their event, by the primary key. An index of the time costs each event of each consumer an
-- entry. Code of the earlier release reads the whole table once an hour, as long as it runs.
-- outside a transaction
drop index concurrently if exists inbox_handled;
