-- Clinical notes. A note is a draft of its author until it is signed, by hand or 24 hours after it was written; then it is amended by other notes.
create table clinical_notes (
  clinic_id uuid not null,
  id uuid not null,
  patient_id uuid not null,
  appointment_id uuid,
  -- FDI.
  tooth smallint check (tooth between 11 and 85),
  -- The signed note that this one amends.
  amends uuid,
  text text not null,
  author_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  signed_at timestamptz,
  -- Null: signed because 24 hours had passed.
  signed_by uuid,
  -- SHA-256 of what was signed. The audit log has it too.
  hash bytea,
  primary key (clinic_id, id),
  foreign key (clinic_id, patient_id) references patients,
  foreign key (clinic_id, appointment_id) references appointments,
  foreign key (clinic_id, amends) references clinical_notes,
  check ((signed_at is null) = (hash is null)),
  check (amends is null or signed_at is not null)
);
create index clinical_notes_by_patient on clinical_notes (clinic_id, patient_id, created_at);
create index clinical_notes_by_time on clinical_notes (clinic_id, created_at);
create index clinical_notes_by_amended on clinical_notes (clinic_id, amends) where amends is not null;
create index clinical_notes_unsigned on clinical_notes (created_at) where signed_at is null;

-- Without accents, except for ñ. The stemmer knows the endings -ación and -ución only with their accents.
create function fold_spanish(text text) returns text language sql immutable parallel safe as $$
  select regexp_replace(translate(lower(text), 'áéíóúü', 'aeiouu'), '([au])cion\M', '\1ción', 'g')
$$;
create index clinical_notes_by_text on clinical_notes using gin (clinic_id, to_tsvector('spanish', fold_spanish(text)));
select tenant_table('clinical_notes');

create function clinical_note_stays() returns trigger language plpgsql as $$
begin
  raise exception 'clinical note % is signed and cannot change', old.id;
end
$$;
create trigger clinical_notes_stay before update on clinical_notes for each row when (old.signed_at is not null) execute function clinical_note_stays();
