-- The erasure of a patient deletes chart entries and treatment plans, and looks for the rows that reference each of them.
-- outside a transaction
drop index concurrently if exists treatment_steps_by_closing_entry;
create index concurrently treatment_steps_by_closing_entry on treatment_steps (clinic_id, closing_entry_id) where closing_entry_id is not null;
drop index concurrently if exists payment_plans_by_treatment_plan;
create index concurrently payment_plans_by_treatment_plan on payment_plans (clinic_id, treatment_plan_id) where treatment_plan_id is not null;
