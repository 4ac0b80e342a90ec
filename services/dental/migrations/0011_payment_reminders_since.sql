-- A reminder that was missed on its day is sent later, so the table says from which day on there are reminders at all. For the plans that
-- exist it is the day of the upgrade: otherwise all of their past days would count as missed.
alter table payment_plans add column remind_since date default current_date;
