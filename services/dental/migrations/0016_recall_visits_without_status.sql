-- A change of status needs no new entry in any index when none contains the status and its page has room. A patient has few visits.
-- outside a transaction
drop index concurrently if exists recall_visits_of_patient;
create index concurrently recall_visits_of_patient on recall_visits (clinic_id, patient_id, starts_at);
drop index concurrently if exists recall_visits_by_patient;
alter table recall_visits set (fillfactor = 65);
