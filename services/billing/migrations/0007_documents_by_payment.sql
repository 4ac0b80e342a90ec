-- The documents of a payment.
-- outside a transaction
drop index concurrently if exists dte_documents_by_payment;
create index concurrently dte_documents_by_payment on dte_documents (clinic_id, payment_id) where payment_id is not null;
