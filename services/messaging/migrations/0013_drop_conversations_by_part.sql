-- Every message changes its conversation, and with it an entry of this index, which no search uses: under row-level security `like` reads
-- the conversations of the clinic by another one.
-- outside a transaction
drop index concurrently if exists conversations_by_part;
