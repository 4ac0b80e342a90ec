-- The columns of a file that an import ignores, so that a title that was not recognized is noticed before its data is missed.
alter table patient_imports
  add column ignored_columns text[] not null default '{}';
