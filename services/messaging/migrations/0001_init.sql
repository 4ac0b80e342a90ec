-- Chat channel, deliveries, threads, what goes out, FAQ, canned replies and mail.

-- The clinic's number at the chat provider.
create table channels (
  clinic_id uuid primary key,
  status text not null default 'disconnected' check (status in ('disconnected', 'pending_otp', 'verifying', 'active', 'failed')),
  -- The state in a sentence.
  detail text not null default '',
  display_number text not null default '',
  phone_number_id text,
  waba_id text,
  access_token_sealed bytea,
  verify_token_sealed bytea,
  -- Two-step PIN of the number: made once, since a number that is registered again must come with the same one.
  pin_sealed bytea,
  bot_enabled boolean not null default false,
  -- When a binding under way is tried again, and how often it was.
  retry_at timestamptz,
  attempts int not null default 0,
  revision int not null default 1,
  updated_at timestamptz not null default now(),
  -- A delivery names the number only: it must lead to one clinic.
  constraint channels_number_unique unique (phone_number_id)
);
create index channels_retry on channels (retry_at) where retry_at is not null;
select tenant_table('channels');

-- Deliveries of the chat provider as they came, sealed, stored before they are answered. Which clinics they speak of is
-- found out afterwards, so they belong to none: the system role only.
create table chat_events (
  seq bigint generated always as identity primary key,
  id uuid not null,
  body_sealed bytea not null,
  bytes int not null,
  status text not null default 'received' check (status in ('received', 'done', 'unusable', 'unknown_number')),
  detail text not null default '',
  received_at timestamptz not null default now()
);
create index chat_events_waiting on chat_events (seq) where status = 'received';
create index chat_events_kept on chat_events (status, seq desc) where status in ('unusable', 'unknown_number');
create unique index chat_events_id on chat_events (id);
create index chat_events_done on chat_events (received_at) where status = 'done';
revoke all on chat_events from clinic_messaging;

-- One thread a phone. A user who hides the phone is known by the provider's id instead.
create table conversations (
  clinic_id uuid not null,
  id uuid not null,
  phone text not null,
  patient_id uuid,
  patient_name text,
  -- Lower case, without accents, a space before each word.
  search_name text not null default '',
  -- When scheduling was asked last who has the phone.
  patient_checked_at timestamptz,
  -- The name that the user goes by at the provider.
  profile_name text,
  status text not null default 'open' check (status in ('open', 'closed')),
  -- A person has the conversation until then; past or null: the bot has it. 'infinity' for users without a phone.
  human_until timestamptz,
  assigned_user_id uuid,
  unread_count int not null default 0 check (unread_count >= 0),
  last_message text,
  last_message_at timestamptz,
  window_expires_at timestamptz,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  primary key (clinic_id, id),
  constraint conversations_phone_unique unique (clinic_id, phone)
);
create index conversations_by_time on conversations (clinic_id, last_message_at desc nulls last, id);
create index conversations_by_part on conversations using gin (clinic_id, search_name gin_trgm_ops, phone gin_trgm_ops);
create index conversations_taken on conversations (human_until) where human_until is not null;
select tenant_table('conversations');

-- Messages of all threads. Within a thread `seq` is the order of arrival.
create table messages (
  clinic_id uuid not null,
  id uuid not null,
  seq bigint generated always as identity,
  conversation_id uuid not null,
  direction text not null check (direction in ('in', 'out')),
  sender text not null check (sender in ('patient', 'bot', 'user', 'system')),
  sent_by uuid,
  type text not null,
  content jsonb not null,
  -- The provider's id of the message.
  provider_id text,
  status text not null,
  error text,
  -- Incoming ones: when the bot's turn is over, how often it has failed, and when it is tried again.
  handled_at timestamptz,
  attempts int not null default 0,
  retry_at timestamptz,
  sent_at timestamptz,
  created_at timestamptz not null,
  primary key (clinic_id, id),
  foreign key (clinic_id, conversation_id) references conversations,
  -- A delivery that comes again changes nothing, however late.
  constraint messages_provider_id_unique unique (clinic_id, provider_id)
);
create index messages_of_thread on messages (clinic_id, conversation_id, seq desc);
create index messages_waiting on messages (clinic_id, conversation_id, seq) where handled_at is null and direction = 'in';
select tenant_table('messages');

-- What is to be sent: stored before it is tried.
create table outbound (
  clinic_id uuid not null,
  id uuid not null,
  seq bigint generated always as identity,
  kind text not null,
  -- What the asking service calls it, unique for the kind.
  reference text,
  -- Null until a message that is written at the moment of sending has been written.
  phone text,
  sender text not null check (sender in ('bot', 'user', 'system')),
  sent_by uuid,
  content jsonb,
  -- Sent instead when the 24 hours of the window are over.
  outside_window jsonb,
  -- The incoming message that it answers: each is answered once.
  answers uuid,
  priority int not null default 1,
  -- Whether a message is sent again when the provider never said whether it got it.
  resend boolean not null default true,
  state text not null default 'queued' check (state in ('queued', 'sending', 'uncertain', 'sent', 'delivered', 'read', 'failed', 'dead', 'dropped')),
  attempts int not null default 0,
  next_attempt_at timestamptz not null,
  claimed_at timestamptz,
  provider_id text,
  error_code text not null default '',
  error text not null default '',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id),
  constraint outbound_reference_unique unique (clinic_id, kind, reference),
  constraint outbound_answers_once unique (clinic_id, answers)
);
create index outbound_due on outbound (next_attempt_at) where state in ('queued', 'sending', 'uncertain');
create index outbound_of_phone on outbound (clinic_id, phone, claimed_at);
create index outbound_open on outbound (clinic_id, phone, seq) where state in ('queued', 'sending');
create index outbound_of_number on outbound (clinic_id, claimed_at) where claimed_at is not null;
create index outbound_provider_id on outbound (clinic_id, provider_id) where provider_id is not null;
create index outbound_dead on outbound (updated_at desc) where state = 'dead';
select tenant_table('outbound');

create table faqs (
  clinic_id uuid not null,
  id uuid not null,
  category text not null check (category in ('parking', 'prices', 'payment', 'hours', 'general')),
  question text not null,
  answer text not null,
  keywords text[] not null,
  is_active boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id)
);
create index faqs_active on faqs (clinic_id, category, created_at) where is_active;
select tenant_table('faqs');

create table canned_replies (
  clinic_id uuid not null,
  id uuid not null,
  title text not null,
  body text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id)
);
create unique index canned_replies_title_unique on canned_replies (clinic_id, lower(title));
select tenant_table('canned_replies');

-- Mails go to people who may belong to no clinic yet: the system role only. Address and text are sealed, and forgotten
-- when the mail is sent.
create table mails (
  id uuid primary key,
  kind text not null,
  reference text,
  to_sealed bytea,
  content_sealed bytea,
  state text not null default 'queued' check (state in ('queued', 'sending', 'sent', 'dead')),
  attempts int not null default 0,
  next_attempt_at timestamptz not null,
  error text not null default '',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint mails_reference_unique unique (kind, reference)
);
create index mails_due on mails (next_attempt_at) where state in ('queued', 'sending');
create index mails_dead on mails (updated_at desc) where state = 'dead';
revoke all on mails from clinic_messaging;
