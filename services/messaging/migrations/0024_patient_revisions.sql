-- The newest event of each patient whose state is stored in conversations. Handlers read that state from scheduling, so that one which has read it before
-- a change could otherwise replace what the handler of the change has stored.
create table patient_revisions (
  clinic_id uuid not null,
  patient_id uuid not null,
  revision int not null,
  primary key (clinic_id, patient_id)
);
select tenant_table('patient_revisions');
