-- The appointments of a series, and the series of a clinic.
-- outside a transaction
drop index concurrently if exists appointments_by_series;
create index concurrently appointments_by_series on appointments (clinic_id, series_id, appointment_date) where series_id is not null;
