-- Who holds a draft, so that the same user gets it again; null for drafts of the bot and of offers.
alter table slot_drafts add column held_by uuid;
-- A hash of the request of a booking with an Idempotency-Key, by which a repeat is recognized for as long as the appointment exists.
alter table appointments add column request_hash bytea;
