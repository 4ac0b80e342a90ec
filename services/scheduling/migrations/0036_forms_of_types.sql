-- The form templates that appointments of the type ask for.
alter table appointment_types add column form_template_ids uuid[] not null default '{}';
