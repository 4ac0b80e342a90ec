-- Booked minutes of each chair and room by day, for its occupancy.
create table analytics_resource_days (
  clinic_id uuid not null,
  resource_id uuid not null,
  date date not null,
  minutes int not null,
  primary key (clinic_id, resource_id, date)
);
create index analytics_resource_days_by_date on analytics_resource_days (clinic_id, date);
select tenant_table('analytics_resource_days');

insert into analytics_resource_days (clinic_id, resource_id, date, minutes)
select clinic_id, resource_id, appointment_date, sum(extract(epoch from upper(busy) - lower(busy)) / 60)::int
from appointments where resource_id is not null and status not in ('cancelled', 'no_show') group by 1, 2, 3;
