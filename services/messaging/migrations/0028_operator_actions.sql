-- What operators did, for their audit log.
-- outside a transaction
drop index concurrently if exists audit_log_operators;
create index concurrently audit_log_operators on audit_log (at desc, id desc) where actor_kind = 'operator';
