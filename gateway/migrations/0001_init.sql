-- How many requests a client has made in the current window, by rate group and address. Unlogged: after a crash
-- everybody starts anew, and no request waits for a disk. The columns are those that rate-limiter-flexible expects.
create unlogged table rate_limits (
  key text primary key,
  points integer not null default 0,
  expire bigint
);
