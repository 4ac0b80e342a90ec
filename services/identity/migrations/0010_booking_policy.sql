-- How patients may cancel and book by themselves.
alter table clinics
  add column cancellation_notice_hours int not null default 0 check (cancellation_notice_hours between 0 and 720),
  add column cancellation_text text,
  -- 0: no limit.
  add column booking_no_show_limit int not null default 0 check (booking_no_show_limit between 0 and 100);
