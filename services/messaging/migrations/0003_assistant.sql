-- The assistant: what a clinic allows and has used, talks of each user, and what waits for a confirmation.

create table assistant_settings (
  clinic_id uuid primary key,
  -- Whether patients' names, phones and free texts may leave for the model as they are.
  send_names boolean not null,
  updated_at timestamptz not null
);
select tenant_table('assistant_settings');

-- Tokens by day of the clinic's zone, those of a call under way included.
create table assistant_usage (
  clinic_id uuid not null,
  day date not null,
  tokens int not null check (tokens >= 0),
  primary key (clinic_id, day)
);
select tenant_table('assistant_usage');

-- What a model has written about a day's figures; other figures need another text. It holds no names.
create table assistant_summaries (
  clinic_id uuid not null,
  day date not null,
  facts_hash bytea not null,
  text text not null,
  created_at timestamptz not null,
  primary key (clinic_id, day)
);
select tenant_table('assistant_summaries');

create table assistant_conversations (
  clinic_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  title_sealed bytea not null,
  -- How many messages there are: the row is the lock under which the next one gets its number.
  messages int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id)
);
create index assistant_conversations_user on assistant_conversations (clinic_id, user_id, updated_at desc, id);
select tenant_table('assistant_conversations');

create table assistant_messages (
  clinic_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  seq int not null,
  role text not null check (role in ('user', 'assistant')),
  source text check (source in ('model', 'rules')),
  content_sealed bytea not null,
  created_at timestamptz not null,
  primary key (clinic_id, id),
  unique (clinic_id, conversation_id, seq),
  foreign key (clinic_id, conversation_id) references assistant_conversations (clinic_id, id) on delete cascade
);
select tenant_table('assistant_messages');

-- What the assistant proposes to do. Only the user who was asked can have it done, once, and not for ever.
create table assistant_actions (
  clinic_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  user_id uuid not null,
  kind text not null check (kind in ('book', 'move', 'cancel', 'message')),
  status text not null check (status in ('proposed', 'executing', 'confirmed', 'rejected', 'failed')),
  payload_sealed bytea not null,
  -- The reason of a failure.
  failure text,
  -- What came of it: the appointment or the message.
  result_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  primary key (clinic_id, id),
  foreign key (clinic_id, conversation_id) references assistant_conversations (clinic_id, id) on delete cascade
);
create index assistant_actions_conversation on assistant_actions (clinic_id, conversation_id, created_at);
select tenant_table('assistant_actions');
