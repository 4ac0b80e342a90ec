-- Dental charts: what was charted is never changed. A correction is an entry that takes the place of an earlier one.

-- One row a charted patient: its lock puts the entries of the patient in one order.
create table charts (
  clinic_id uuid not null,
  patient_id uuid not null,
  last_number int not null check (last_number >= 0),
  primary key (clinic_id, patient_id)
);
select tenant_table('charts');

create table chart_entries (
  clinic_id uuid not null,
  patient_id uuid not null,
  -- 1, 2, 3 … in the order of charting.
  number int not null check (number > 0),
  id uuid not null,
  kind text not null check (kind in ('finding', 'void', 'dentition')),
  -- Of a finding: the teeth it lies on, more than one for a bridge or a prosthesis; those among them that only hang in a bridge.
  teeth smallint[] not null default '{}',
  pontics smallint[] not null default '{}',
  finding text,
  -- Empty means the whole tooth.
  surfaces text[] not null default '{}',
  status text check (status in ('existing', 'planned', 'treated')),
  -- Of a dentition set by hand; auto goes back to what is charted.
  dentition text check (dentition in ('adult', 'child', 'mixed', 'auto')),
  notes text,
  -- The entry that this one corrects: it counts no longer.
  replaces uuid,
  recorded_by text not null,
  created_at timestamptz not null,
  primary key (clinic_id, patient_id, number),
  unique (clinic_id, id),
  -- So that an entry is corrected within its own chart.
  unique (clinic_id, patient_id, id),
  foreign key (clinic_id, patient_id) references charts,
  foreign key (clinic_id, patient_id, replaces) references chart_entries (clinic_id, patient_id, id),
  -- Of two who correct the same entry one comes first.
  constraint chart_entries_replaced_once unique (clinic_id, patient_id, replaces),
  check ((kind = 'finding') = (finding is not null and status is not null and cardinality(teeth) > 0)),
  check ((kind = 'dentition') = (dentition is not null)),
  check (kind <> 'void' or replaces is not null)
);
select tenant_table('chart_entries');
revoke update, delete on chart_entries from clinic_dental, clinic_dental_system;
