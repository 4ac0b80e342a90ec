-- Keys with which the clinics' own programs call the API, within scopes. Revoked ones are retained, since the audit log names them.
create table integration_keys (
  clinic_id uuid not null,
  id uuid not null,
  name text not null,
  -- The first characters of the key, by which people recognise it.
  prefix text not null,
  -- SHA-256 of the whole key, of which 32 bytes are random.
  key_hash bytea not null,
  scopes text[] not null,
  created_by uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (clinic_id, id),
  foreign key (clinic_id) references clinics on delete cascade
);
select tenant_table('integration_keys');
create unique index integration_keys_hash on integration_keys (key_hash);
create unique index integration_keys_name_unique on integration_keys (clinic_id, lower(name)) where revoked_at is null;
