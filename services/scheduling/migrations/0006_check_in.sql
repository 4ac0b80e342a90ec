-- When the patient told of the own arrival. Told once; a visit that moves to another day begins anew.
alter table appointments add column checked_in_at timestamptz;
