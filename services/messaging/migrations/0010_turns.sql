-- The messages that the bot has yet to handle, apart from `messages`: rows are deleted when they are handled, so looking for work reads only
-- what waits, and a process that takes a turn keeps no transaction open.
create table turns (
  clinic_id uuid not null,
  conversation_id uuid not null,
  -- Those of the message.
  seq bigint not null,
  message_id uuid not null,
  -- answer: the bot answers. record: a reply to a recall message, or a choice about recalls, while a person has the conversation.
  -- identify: only the patient is looked up.
  kind text not null check (kind in ('answer', 'record', 'identify')),
  attempts int not null default 0,
  due_at timestamptz not null,
  -- Who takes the turn, and until when nobody else does, by the clock of the database.
  claim uuid,
  claimed_until timestamptz,
  -- Written by code of the earlier release, which looks for work in messages.handled_at.
  in_messages boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (clinic_id, conversation_id, seq)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create unique index turns_in_order on turns (seq);

-- What waits now. An owner that is no superuser sees no row while row-level security is forced.
alter table messages no force row level security;
insert into turns (clinic_id, conversation_id, seq, message_id, kind, attempts, due_at, in_messages, created_at)
select clinic_id, conversation_id, seq, id, 'answer', attempts, coalesce(retry_at, now()), true, created_at
from messages where handled_at is null and direction = 'in';
alter table messages force row level security;
select tenant_table('turns');

-- While processes of the earlier release run, their turns are these too. The release after this one drops both triggers, the function,
-- turns.in_messages, and attempts, retry_at and handled_at of messages with their index.
create function copy_turn() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into turns (clinic_id, conversation_id, seq, message_id, kind, due_at, in_messages)
    values (new.clinic_id, new.conversation_id, new.seq, new.id, 'answer', now(), true);
  else
    delete from turns where clinic_id = new.clinic_id and conversation_id = new.conversation_id and seq = new.seq;
  end if;
  return null;
end $$;
create trigger turn_received after insert on messages for each row when (new.handled_at is null and new.direction = 'in') execute function copy_turn();
create trigger turn_handled after update of handled_at on messages for each row
  when (old.handled_at is null and new.handled_at is not null) execute function copy_turn();
