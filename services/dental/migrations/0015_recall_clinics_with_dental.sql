-- Whether the clinic is a dental clinic and has not switched dental off. True until the next event of a clinic says otherwise.
alter table recall_clinics add column dental boolean not null default true;
