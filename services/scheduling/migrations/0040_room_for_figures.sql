-- Room in each page for the new version of an updated row, since each payment and change of status updates these figures: a version on the
-- same page is a fraction of the write-ahead log.
alter table analytics_payment_plans set (fillfactor = 50);
alter table analytics_receivables set (fillfactor = 60);
alter table analytics_patient_days set (fillfactor = 70);
