-- Calendar feeds, which are read without a session: the token is found by its hash and shown again from its sealed form.
alter table doctors add column feed_token_hash bytea, add column feed_token_sealed bytea,
  add constraint doctors_feed_token_whole check ((feed_token_hash is null) = (feed_token_sealed is null));
-- Looked up before the clinic is known.
create unique index doctors_feed_token on doctors (feed_token_hash) where feed_token_hash is not null;

-- What scheduling needs of a clinic when nobody is signed in: told by identity's events, the newest revision wins.
create table clinics (
  clinic_id uuid primary key,
  timezone text not null,
  revision int not null
);
select tenant_table('clinics');
