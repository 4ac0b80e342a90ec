-- Room in each page for the final state of its reminders: a version on the same page is a fraction of the write-ahead log.
alter table reminders set (fillfactor = 55);
