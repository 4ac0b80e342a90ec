-- Origins whose pages may embed the booking page of the clinic.
alter table clinics add column booking_origins text[] not null default '{}';
