-- Added by 0012_steps_close_findings.sql.
alter table treatment_steps validate constraint treatment_steps_closing_entry;
