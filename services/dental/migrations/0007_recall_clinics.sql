-- Which clinics recall may run for, as identity's events tell; the highest revision wins. One that was never heard of may run.
create table recall_clinics (
  clinic_id uuid primary key,
  plan text not null,
  subscription_expires_at timestamptz,
  is_active boolean not null,
  revision int not null
);
select tenant_table('recall_clinics');
