-- How often the links to a document were revoked: a link names this number, and is valid while it is the current one. No row means never.
create table dte_link_revocations (
  clinic_id uuid not null,
  document_id uuid not null,
  times int not null,
  primary key (clinic_id, document_id),
  foreign key (clinic_id, document_id) references dte_documents
);
select tenant_table('dte_link_revocations');
