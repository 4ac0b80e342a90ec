-- When the patient confirmed the appointment in its current slot.
alter table appointments add column patient_confirmed_at timestamptz;
