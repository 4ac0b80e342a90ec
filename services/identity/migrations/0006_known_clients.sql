-- Where each user has signed in before, and limits of wrong passwords from elsewhere.

create table known_clients (
  clinic_id uuid not null,
  user_id uuid not null,
  -- ip:<address, of IPv6 its /56 network> or device:<SHA-256 of the token of its cookie>
  client text not null,
  last_used_at timestamptz not null,
  -- Wrong passwords from a device since its last correct one.
  attempts int not null default 0,
  locks int not null default 0,
  locked_until timestamptz,
  primary key (clinic_id, user_id, client),
  foreign key (clinic_id, user_id) references users on delete cascade
);
create index known_clients_last_used on known_clients (last_used_at);
select tenant_table('known_clients');

insert into known_clients (clinic_id, user_id, client, last_used_at)
select clinic_id, user_id, 'ip:' || case family(ip::inet) when 4 then host(ip::inet) else host(network(set_masklen(ip::inet, 56))) end, max(created_at)
from session_families where case when pg_input_is_valid(ip, 'inet') then true else false end
group by 1, 2, 3;

-- By e-mail address, whether it has an account or not: wrong passwords from clients that are not known.
create table sign_in_throttles (
  -- A blind index, since the address may be that of an account.
  email_index bytea primary key,
  attempts int not null default 0,
  locks int not null default 0,
  locked_until timestamptz,
  updated_at timestamptz not null
);
create index sign_in_throttles_updated on sign_in_throttles (updated_at);

-- They belong to no clinic, so the role that requests run as has no business with them.
do $$ begin
  execute format('revoke all on sign_in_throttles from %I', 'clinic_' || current_schema());
end $$;
