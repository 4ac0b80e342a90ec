-- The statistics read these tables whole, and no other statement reads them by these columns.
drop index if exists orders_seen_by_day;
drop index if exists clinics_seen_registered;
