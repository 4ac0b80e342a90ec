-- Periodontal exams. An exam is one document and is never changed: not even the request role can.
create table periodontal_exams (
  clinic_id uuid not null,
  patient_id uuid not null,
  id uuid not null,
  exam_date date not null,
  -- Teeth by number: [{tooth, mobility, furcation: [{side, grade}], sites: [{site, depth, recession, bleeding, plaque, suppuration}]}].
  teeth jsonb not null,
  notes text,
  recorded_by text not null,
  created_at timestamptz not null,
  primary key (clinic_id, patient_id, id)
);
create index periodontal_exams_newest on periodontal_exams (clinic_id, patient_id, exam_date desc, created_at desc, id desc);
select tenant_table('periodontal_exams');
revoke update, delete on periodontal_exams from clinic_dental, clinic_dental_system;
