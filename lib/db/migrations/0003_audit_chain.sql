-- The audit log shows tampering: each row is linked, by hashes, to the one before it in its clinic. The links are made a
-- moment later by one worker, so that those who write rows need no lock.

-- Rows that have no link yet, written together with them.
create table audit_pending (
  clinic_id uuid not null,
  id uuid not null,
  primary key (clinic_id, id)
);
select tenant_table('audit_pending');

create table audit_chain (
  clinic_id uuid not null,
  -- 1, 2, 3 … without a gap.
  seq int not null check (seq > 0),
  audit_id uuid not null,
  -- SHA-256 of the row as it was, and of the link before with this number and row: see lib/audit-chain.ts.
  row_hash bytea not null,
  hash bytea not null,
  chained_at timestamptz not null default now(),
  primary key (clinic_id, seq),
  unique (clinic_id, audit_id)
);
select tenant_table('audit_chain');

create index audit_log_by_time on audit_log (clinic_id, at desc, id desc);
insert into audit_pending (clinic_id, id) select clinic_id, id from audit_log;

-- Nobody who serves requests can change what is written, and only the system's role makes links.
do $$
declare
  request text := 'clinic_' || current_schema();
  system text := request || '_system';
begin
  execute format('revoke update, delete, truncate on audit_log, audit_chain from %I, %I', request, system);
  execute format('revoke insert on audit_chain from %I', request);
  execute format('revoke update, delete, truncate on audit_pending from %I', request);
end $$;
