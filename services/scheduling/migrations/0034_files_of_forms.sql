-- The PDF of a signed form among the files of its patient: set once, after the signature.
alter table forms add column file_id uuid;

create or replace function signed_form_stays() returns trigger language plpgsql as $$
begin
  if old.file_id is null and to_jsonb(new) - 'file_id' = to_jsonb(old) - 'file_id' then
    return new;
  end if;
  raise exception 'form % is signed and cannot change', old.id;
end
$$;
