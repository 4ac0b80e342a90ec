-- A person who writes to the clinic may opt out of recall messages before being a patient. The patient who gets the phone has opted out.
create table recall_opt_outs (
  clinic_id uuid not null,
  -- E.164; no patient has it.
  phone text not null,
  created_at timestamptz not null,
  primary key (clinic_id, phone)
);
select tenant_table('recall_opt_outs');

-- A trigger, so that it applies wherever a patient gets a phone: bookings, imports, the desk, and processes of the earlier release.
create function apply_recall_opt_out() returns trigger language plpgsql set search_path from current as $$
begin
  -- An opt-out that finds no patient with the phone takes this lock exclusively and looks again.
  perform pg_advisory_xact_lock_shared(hashtextextended('recall opt-outs ' || new.clinic_id, 0));
  delete from recall_opt_outs where clinic_id = new.clinic_id and phone = new.phone;
  new.recall_opted_out := new.recall_opted_out or found;
  return new;
end $$;
create trigger patients_opted_out before insert on patients for each row when (new.phone is not null) execute function apply_recall_opt_out();
create trigger patients_opted_out_later before update of phone on patients for each row
  when (new.phone is not null and new.phone is distinct from old.phone) execute function apply_recall_opt_out();
