-- The licence number that a doctor's prescriptions print.
alter table users add column license_number text;
