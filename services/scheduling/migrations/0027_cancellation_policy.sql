-- The policy of the clinic, as identity's events report it.
alter table clinics
  add column cancellation_notice_hours int not null default 0,
  add column cancellation_text text,
  add column booking_no_show_limit int not null default 0;

-- Null: as the clinic.
alter table appointment_types
  add column cancellation_notice_hours int check (cancellation_notice_hours between 0 and 720),
  add column cancellation_text text;

-- Whether the patient cancelled it later than the policy of that time allowed.
alter table appointments add column late_cancellation boolean not null default false;

alter table analytics_days add column late_cancelled int not null default 0;
