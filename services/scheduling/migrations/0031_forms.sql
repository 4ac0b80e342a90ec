-- Forms and consents. A template has versions, which are rows of their own; a form is one version sent to one patient.
create table form_templates (
  clinic_id uuid not null,
  id uuid not null,
  version int not null check (version > 0),
  -- Of the versions of a template one is current.
  is_current boolean not null,
  title text not null,
  text text,
  -- [{kind, label, help, options, required, alert}]
  fields jsonb not null,
  -- Whether each patient is expected to sign it.
  required boolean not null,
  is_active boolean not null,
  -- Null: a standard template.
  created_by uuid,
  created_at timestamptz not null,
  primary key (clinic_id, id, version)
);
create unique index form_templates_current on form_templates (clinic_id, id) where is_current;
select tenant_table('form_templates');

create table forms (
  clinic_id uuid not null,
  id uuid not null,
  patient_id uuid not null,
  template_id uuid not null,
  template_version int not null,
  appointment_id uuid,
  -- Null: sent with a reminder.
  created_by uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- {index of the field: value}
  answers jsonb not null default '{}',
  signer_name text,
  signed_at timestamptz,
  -- SHA-256 of what was signed. The audit log has it too.
  hash bytea,
  primary key (clinic_id, id),
  foreign key (clinic_id, patient_id) references patients,
  foreign key (clinic_id, template_id, template_version) references form_templates,
  foreign key (clinic_id, appointment_id) references appointments,
  check ((signed_at is null) = (hash is null) and (signed_at is null) = (signer_name is null))
);
create unique index forms_open on forms (clinic_id, patient_id, template_id) where signed_at is null;
create index forms_by_patient on forms (clinic_id, patient_id, created_at);
create index forms_by_time on forms (clinic_id, created_at);
create index forms_by_appointment on forms (clinic_id, appointment_id) where appointment_id is not null;
create index forms_stale on forms (updated_at) where signed_at is null;
select tenant_table('forms');

create function signed_form_stays() returns trigger language plpgsql as $$
begin
  raise exception 'form % is signed and cannot change', old.id;
end
$$;
create trigger forms_stay before update on forms for each row when (old.signed_at is not null) execute function signed_form_stays();

-- What a patient has answered in a form, and the staff accepts as a medical alert or dismisses.
create table alert_proposals (
  clinic_id uuid not null,
  id uuid not null,
  patient_id uuid not null,
  form_id uuid not null,
  kind text not null check (kind in ('allergy', 'condition', 'medication', 'other')),
  text text not null,
  status text not null default 'open' check (status in ('open', 'accepted', 'dismissed')),
  decided_by uuid,
  decided_at timestamptz,
  -- The alert that was added.
  alert_id uuid,
  created_at timestamptz not null,
  primary key (clinic_id, id),
  foreign key (clinic_id, patient_id) references patients,
  foreign key (clinic_id, form_id) references forms,
  check ((status = 'open') = (decided_at is null))
);
create index alert_proposals_by_patient on alert_proposals (clinic_id, patient_id);
create index alert_proposals_by_form on alert_proposals (clinic_id, form_id);
create index alert_proposals_open on alert_proposals (clinic_id, created_at) where status = 'open';
select tenant_table('alert_proposals');
