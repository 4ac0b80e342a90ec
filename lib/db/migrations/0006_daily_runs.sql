-- Days on which a daily job has run: lib/jobs/once-per-day.ts.
create table daily_runs (
  job text not null,
  day date not null,
  finished_at timestamptz not null default now(),
  primary key (job, day)
);
