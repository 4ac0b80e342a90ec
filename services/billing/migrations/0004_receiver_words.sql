-- Words by which a document is found: of its receiver's name, and the receiver's numbers. Each is sealed, and found by its blind index.
create table dte_receiver_words (
  clinic_id uuid not null,
  document_id uuid not null,
  number int not null,
  word_sealed bytea not null,
  word_index bytea not null,
  primary key (clinic_id, document_id, number),
  foreign key (clinic_id, document_id) references dte_documents
);
create index dte_receiver_words_index on dte_receiver_words (clinic_id, word_index);
select tenant_table('dte_receiver_words');
