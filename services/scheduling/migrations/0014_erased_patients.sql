-- An erased patient has neither phone nor guardian: the record stays, as nobody's, so that visits and sums keep what they hang on.
alter table patients add column erased_at timestamptz;
alter table patients drop constraint patients_check;
alter table patients add constraint patients_reachable check (phone is not null or guardian_id is not null or erased_at is not null) not valid;
