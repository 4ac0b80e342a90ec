-- Tax documents: who issues them, how they are counted, and the documents and events themselves, which are kept for good.

-- Who issues, with the user at the authority and the key to sign with, each sealed.
create table dte_issuers (
  clinic_id uuid primary key,
  environment text not null check (environment in ('00', '01')),
  nit text not null,
  profile_sealed bytea not null,
  provider_sealed bytea,
  signing_sealed bytea,
  -- NIT and fingerprint of the certificate, to be shown.
  certificate_nit text,
  certificate_fingerprint text,
  certificate_added_at timestamptz,
  updated_at timestamptz not null
);
select tenant_table('dte_issuers');

-- A point of sale counts for one clinic alone, also when it is no longer in use: two clinics of one taxpayer never give the same
-- number twice.
create table dte_points_of_sale (
  clinic_id uuid not null references dte_issuers on delete cascade,
  environment text not null,
  nit text not null,
  establishment text not null check (establishment ~ '^[MSBP][0-9]{3}$'),
  code text not null check (code ~ '^P[0-9]{3}$'),
  -- Null when it is no longer in use, but has been counted at.
  position int,
  primary key (clinic_id, environment, nit, establishment, code),
  constraint dte_points_of_sale_once unique (environment, nit, establishment, code)
);
select tenant_table('dte_points_of_sale');

-- The last number given, by issuer, kind, point of sale and year. The row is locked until the document that took the number
-- is committed, so there are neither gaps nor doubles.
create table dte_counters (
  clinic_id uuid not null,
  environment text not null,
  nit text not null,
  kind text not null,
  establishment text not null,
  point_of_sale text not null,
  year int not null,
  last bigint not null,
  primary key (clinic_id, environment, nit, kind, establishment, point_of_sale, year)
);
select tenant_table('dte_counters');

create table dte_documents (
  clinic_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('01', '03', '05')),
  generation text not null check (generation in ('legacy', 'current')),
  environment text not null,
  nit text not null,
  establishment text not null,
  point_of_sale text not null,
  number bigint not null check (number > 0),
  year int not null,
  control_number text not null,
  code text not null,
  status text not null check (status in ('pending', 'processed', 'rejected', 'contingency', 'invalidated')),
  issued_at timestamptz not null,
  issued_on date not null,
  -- Of the caller's clinic, but they belong to other services.
  patient_id uuid,
  appointment_id uuid,
  payment_id uuid,
  -- The crédito fiscal that a note takes back.
  related_id uuid,
  sales_cents bigint not null,
  iva_cents bigint not null,
  withheld_cents bigint not null,
  operation_cents bigint not null,
  to_pay_cents bigint not null,
  -- What was asked for, what was built of it and its signature.
  content_sealed bytea not null,
  document_hash bytea not null,
  seal text,
  processed_at timestamptz,
  answer_code text,
  observations text[] not null default '{}',
  -- How often it was handed over, counted before each time, and whoever does it now.
  attempts int not null default 0,
  claimed_until timestamptz,
  contingency_event_id uuid,
  invalidated_at timestamptz,
  revision int not null default 1,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id),
  foreign key (clinic_id, related_id) references dte_documents,
  constraint dte_documents_code unique (code),
  constraint dte_documents_number unique (clinic_id, environment, nit, kind, establishment, point_of_sale, year, number),
  check (status not in ('processed', 'invalidated') or seal is not null)
);
create index dte_documents_newest on dte_documents (clinic_id, issued_at desc, id desc);
create index dte_documents_by_day on dte_documents (clinic_id, issued_on, kind);
create index dte_documents_by_patient on dte_documents (clinic_id, patient_id) where patient_id is not null;
create index dte_documents_by_related on dte_documents (clinic_id, related_id) where related_id is not null;
create index dte_documents_unsettled on dte_documents (clinic_id, issued_at) where status in ('pending', 'contingency');
select tenant_table('dte_documents');

-- Invalidations and contingencies as the authority is told of them.
create table dte_events (
  clinic_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('invalidation', 'contingency')),
  code text not null,
  environment text not null,
  generation text not null check (generation in ('legacy', 'current')),
  document_id uuid,
  status text not null check (status in ('pending', 'accepted', 'rejected')),
  content_sealed bytea not null,
  seal text,
  observations text[] not null default '{}',
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (clinic_id, id),
  foreign key (clinic_id, document_id) references dte_documents,
  constraint dte_events_code unique (code),
  check ((kind = 'invalidation') = (document_id is not null))
);
create unique index dte_events_live_invalidation on dte_events (clinic_id, document_id) where kind = 'invalidation' and status <> 'rejected';
create index dte_events_pending on dte_events (clinic_id, created_at) where status = 'pending';
select tenant_table('dte_events');

-- What a document needs of a patient as its receiver.
create table dte_tax_profiles (
  clinic_id uuid not null,
  patient_id uuid not null,
  profile_sealed bytea not null,
  updated_at timestamptz not null,
  primary key (clinic_id, patient_id)
);
select tenant_table('dte_tax_profiles');

-- Documents are kept (10 years, by law) and never change once they are sealed; their names and numbers never change at all.
-- Sealing anew under another key changes no hash.
create function dte_document_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'a tax document is never deleted';
  end if;
  if (new.clinic_id, new.id, new.kind, new.environment, new.nit, new.number, new.year, new.control_number, new.code, new.issued_at, new.issued_on, new.related_id)
    is distinct from
    (old.clinic_id, old.id, old.kind, old.environment, old.nit, old.number, old.year, old.control_number, old.code, old.issued_at, old.issued_on, old.related_id) then
    raise exception 'the name of a tax document never changes';
  end if;
  if old.status in ('processed', 'invalidated') and (
    (new.document_hash, new.seal, new.processed_at, new.sales_cents, new.iva_cents, new.withheld_cents, new.operation_cents, new.to_pay_cents)
      is distinct from
      (old.document_hash, old.seal, old.processed_at, old.sales_cents, old.iva_cents, old.withheld_cents, old.operation_cents, old.to_pay_cents)
    or new.status not in ('processed', 'invalidated')
    or (old.status = 'invalidated' and new.status <> 'invalidated')) then
    raise exception 'a sealed tax document never changes';
  end if;
  return new;
end $$;
create trigger dte_documents_stay before update or delete on dte_documents for each row execute function dte_document_stays();
revoke delete on dte_documents, dte_events from clinic_billing, clinic_billing_system;
