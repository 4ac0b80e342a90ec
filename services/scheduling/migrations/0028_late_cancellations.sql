-- The late cancellations of a patient.
-- outside a transaction
drop index concurrently if exists appointments_cancelled_late;
create index concurrently appointments_cancelled_late on appointments (clinic_id, patient_id) where late_cancellation;
