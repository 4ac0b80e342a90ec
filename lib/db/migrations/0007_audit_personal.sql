-- Personal values of audit entries, such as the names of a rename. They are outside the hash chain, so that they can be erased.
create table audit_personal (
  clinic_id uuid not null,
  -- The entry in audit_log, and what it is about.
  id uuid not null,
  entity_id text not null,
  changes jsonb not null,
  primary key (clinic_id, id)
);
create index audit_personal_by_entity on audit_personal (clinic_id, entity_id);
select tenant_table('audit_personal');

do $$
declare role text := 'clinic_' || current_schema();
begin
  execute format('revoke update, delete, truncate on audit_personal from %I', role);
end $$;
