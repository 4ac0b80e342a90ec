-- The last event that the stream acknowledged. JetStream acknowledges before it syncs: when this event is no longer where
-- it was put, the stream has lost its tail. Rows published before `since` belong to a stream that is gone.
alter table published_stream
  add column since timestamptz not null default now(),
  add column last_seq bigint,
  add column last_id uuid;
