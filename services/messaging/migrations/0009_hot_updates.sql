-- Room in each page for the new version of an updated row: its state changes several times, and a version on the same page needs no new
-- entry in any index.
alter table messages set (fillfactor = 85);
alter table outbound set (fillfactor = 60);
alter table bot_sessions set (fillfactor = 70);
