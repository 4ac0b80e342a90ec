-- Photos of doctors as they were drawn anew. Their ids are random, since whoever knows one may look: an <img> sends no token.
create table doctor_photos (
  clinic_id uuid not null,
  id uuid not null,
  doctor_id uuid not null,
  content bytea not null,
  content_type text not null,
  created_at timestamptz not null,
  primary key (clinic_id, id),
  unique (id),
  unique (clinic_id, doctor_id),
  foreign key (clinic_id, doctor_id) references doctors on delete cascade
);
select tenant_table('doctor_photos');

-- Either a photo of our own or the address of another one.
alter table doctors add column photo_id uuid, add check (photo_id is null or photo_url is null);
