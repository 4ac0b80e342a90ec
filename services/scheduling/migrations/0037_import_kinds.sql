-- Imports of past appointments and of opening balances, in the tables of the imports of patients.
alter table patient_imports
  add column kind text not null default 'patients' check (kind in ('patients', 'appointments', 'balances'));
