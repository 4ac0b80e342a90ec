-- The date to which the latest move of its series would have moved an appointment that was refused. Further moves start from it, so that a repeated
-- move moves no appointment twice. Null: appointment_date.
alter table appointments
  add column series_date date;
