-- The messages of `outbound` that are yet to be sent, apart from it: looking for work reads only what waits, and no index of `outbound` has a
-- column that changes while a message is sent, so that each change of its state stays on its page. Triggers keep the table, so code of the
-- earlier release does too.
create table sends (
  clinic_id uuid not null,
  -- Those of the message in outbound.
  id uuid not null,
  seq bigint not null,
  priority int not null,
  phone text,
  -- Its next attempt; infinity for a dead letter, which only an operator sends again.
  not_before timestamptz not null,
  primary key (priority, seq)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index sends_by_phone on sends (phone, seq);

-- When messages of a clinic's number were claimed within the last second, for the provider's limit.
create table recent_claims (
  clinic_id uuid primary key,
  claimed_at timestamptz[] not null
) with (fillfactor = 50);
select tenant_table('recent_claims');

create function is_to_send(state text) returns boolean language sql immutable parallel safe
return state in ('queued', 'sending', 'uncertain', 'dead');

create function keep_sends() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op = 'DELETE' or not is_to_send(new.state) then
    delete from sends where priority = old.priority and seq = old.seq;
  else
    insert into sends (clinic_id, id, seq, priority, phone, not_before)
    values (new.clinic_id, new.id, new.seq, new.priority, new.phone, case when new.state = 'dead' then 'infinity' else new.next_attempt_at end)
    on conflict (priority, seq) do update set phone = excluded.phone, not_before = excluded.not_before;
  end if;
  return null;
end $$;
create trigger outbound_stored after insert on outbound for each row when (is_to_send(new.state)) execute function keep_sends();
create trigger outbound_changed after update of state, phone, next_attempt_at on outbound for each row
  when (is_to_send(old.state) <> is_to_send(new.state)
    or is_to_send(new.state) and (old.phone, old.next_attempt_at, old.state = 'dead') is distinct from (new.phone, new.next_attempt_at, new.state = 'dead'))
  execute function keep_sends();
create trigger outbound_deleted after delete on outbound for each row when (is_to_send(old.state)) execute function keep_sends();

-- An owner that is no superuser sees no row while row-level security is forced.
alter table outbound no force row level security;
insert into sends (clinic_id, id, seq, priority, phone, not_before)
select clinic_id, id, seq, priority, phone, case when state = 'dead' then 'infinity' else next_attempt_at end from outbound where is_to_send(state);
alter table outbound force row level security;
select tenant_table('sends');
