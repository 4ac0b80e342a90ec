-- Patients whose day before is in the month in which a period begins are told apart by the day.
-- outside a transaction
drop index concurrently if exists analytics_patient_days_by_previous;
create index concurrently analytics_patient_days_by_previous on analytics_patient_days (clinic_id, previous_date, date);
