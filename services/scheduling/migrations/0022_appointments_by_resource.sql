-- The times that a chair or a room is taken.
-- outside a transaction
drop index concurrently if exists appointments_by_resource;
create index concurrently appointments_by_resource on appointments (clinic_id, resource_id, appointment_date) where resource_id is not null;
