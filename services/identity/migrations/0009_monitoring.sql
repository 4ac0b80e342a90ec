-- How many bytes of files each service stores of a clinic: measured there every night.
create table clinic_storage (
  clinic_id uuid not null references clinics,
  service text not null,
  bytes bigint not null,
  measured_at timestamptz not null,
  primary key (clinic_id, service)
);
select tenant_table('clinic_storage');

-- Dashboards read the use of all clinics with a login of their own, which sees nothing else.
grant usage on schema identity to clinic_monitor;
grant select (clinic_id, name) on clinics to clinic_monitor;
grant select on clinic_usage, clinic_storage to clinic_monitor;
create policy monitor on clinics for select to clinic_monitor using (true);
create policy monitor on clinic_usage for select to clinic_monitor using (true);
create policy monitor on clinic_storage for select to clinic_monitor using (true);
