-- Merges of two patients' records, as scheduling's events tell: what was moved, so that an undo moves back that and no more.
create table patient_merges (
  clinic_id uuid not null,
  merge_id uuid not null,
  kept_id uuid not null,
  merged_id uuid not null,
  treatment_plans uuid[] not null default '{}',
  payment_plans uuid[] not null default '{}',
  chart_entries uuid[] not null default '{}',
  periodontal_exams uuid[] not null default '{}',
  recall_contacts uuid[] not null default '{}',
  undone boolean not null,
  primary key (clinic_id, merge_id)
);
select tenant_table('patient_merges');

-- Charts and exams never change, but whose they are may: for the system's role, and these columns alone.
do $$ begin
  execute format('grant update (patient_id, number) on chart_entries to clinic_%s_system', current_schema());
  execute format('grant update (patient_id) on periodontal_exams to clinic_%s_system', current_schema());
end $$;
