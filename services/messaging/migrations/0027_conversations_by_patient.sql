-- Each change of a patient reads the patient's conversations.
-- outside a transaction
drop index concurrently if exists conversations_by_patient;
create index concurrently conversations_by_patient on conversations (clinic_id, patient_id) where patient_id is not null;
