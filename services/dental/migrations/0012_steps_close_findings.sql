-- The entry that a completed step added to the chart, because it has treated its finding. It is voided when the step is open again.
alter table treatment_steps add column closing_entry_id uuid;
alter table treatment_steps add constraint treatment_steps_closing_entry foreign key (clinic_id, closing_entry_id)
  references chart_entries (clinic_id, id) not valid;
