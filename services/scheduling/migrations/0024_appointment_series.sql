-- Appointments that were booked together, at the same time every few weeks.
alter table appointments add column series_id uuid;
