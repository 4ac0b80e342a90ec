-- Processes of the service that are running, and the encryption keys that each of them knows.
create table running_processes (
  process_id uuid primary key,
  host text not null,
  pid int not null,
  -- Ids of ENCRYPTION_KEYS, never the keys. The process encrypts with the first one.
  encryption_key_ids text[] not null,
  -- Renewed while the process runs; see lib/running-processes.ts.
  last_seen_at timestamptz not null default now()
);
