-- The revision of a paid subscription that the payment provider renews at its expiry. Not a boolean: a process of the previous release changes the
-- revision only, and the new revision may be one that ends.
alter table applied_subscriptions add column renewing_revision int;
