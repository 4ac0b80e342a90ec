-- What everybody who treats a patient must know: allergies, conditions, medication.
create table medical_alerts (
  clinic_id uuid not null,
  id uuid not null,
  patient_id uuid not null,
  kind text not null check (kind in ('allergy', 'condition', 'medication', 'other')),
  severity text not null check (severity in ('info', 'warning', 'danger')),
  text text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id),
  foreign key (clinic_id, patient_id) references patients
);
create index medical_alerts_by_patient on medical_alerts (clinic_id, patient_id);
select tenant_table('medical_alerts');
