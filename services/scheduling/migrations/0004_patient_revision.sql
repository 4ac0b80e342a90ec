-- Events tell which state of a patient is the newer one. The table counts by itself, so that no statement can forget to.
alter table patients add column revision int not null default 1;

create function count_revision() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end $$;

create trigger patients_revision before update on patients for each row execute function count_revision();
