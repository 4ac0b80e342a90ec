// The check of migrations refuses each way of breaking the previous release, and accepts migrations that expand the schema.
import { expect, test } from '@jest/globals';
import { unsafeMigrations } from './migration-safety.ts';
import { sqlStatements } from './sql.ts';

const BASELINE = { 'services/one': 2 };
const found = (text: string, file = 'services/one/migrations/0003_new.sql', version = '1.5.0') => unsafeMigrations([{ file, text }], BASELINE, version);

test.each([
  ['a column that goes', 'alter table patients drop column notes;'],
  ['one of several actions', 'alter table patients add column a int,\n  drop column notes;'],
  ['a column by another name', 'alter table patients rename column notes to remarks;'],
  ['a table by another name', 'alter table patients rename to people;'],
  ['a table that goes', 'drop table if exists patients;'],
  ['another type', 'alter table patients alter column phone type varchar(20);'],
  ['another type, in other words', 'alter table patients alter phone set data type varchar(20);'],
  ['not null without default', 'alter table patients add column country text not null;'],
  ['not null without default, with a bracket', 'alter table patients add country numeric(4, 2) not null check (country > 0);'],
  ['not null afterwards', 'alter table patients alter column email set not null;'],
  ['a default that goes', 'alter table patients alter column kind drop default;'],
  ['a right that goes', 'revoke update on patients from clinic_one;'],
  ['a function that goes', 'drop function count_revision();'],
  ['an index built under a lock', 'create index patients_by_mail on patients (clinic_id, email);'],
  ['a unique index without a name', 'create unique index on patients (email);'],
  ['a constraint checked at once', 'alter table patients add constraint known check (gender is not null);'],
  ['a nameless foreign key', 'alter table patients add foreign key (clinic_id, doctor_id) references doctors;'],
  ['a unique constraint', 'alter table patients add constraint one_mail unique (clinic_id, email);'],
  ['a default that differs from row to row', 'alter table patients add column token uuid not null default gen_random_uuid();'],
  ['a computed column', 'alter table patients add column short text generated always as (left(name, 3)) stored;'],
  ['all rows at once', 'update patients set country = $$SV$$;'],
  ['all rows deleted', 'delete from patients where archived_at is not null;'],
  ['a truncation', 'truncate patients;'],
  ['what a block hides', "do $$ begin execute format('alter table %I drop column notes', 'patients'); end $$;"],
  ['a right revoked in a block', "do $$ begin execute format('revoke update, delete on patients from %I', 'role'); end $$;"],
  ['a right revoked on a table that a block names', "do $$ begin execute format('revoke update on %I from role', 'patients'); end $$;"],
  [
    'an addition validated in the same file',
    'alter table patients add constraint known check (a > 0) not valid; alter table patients validate constraint known;',
  ],
])('refused: %s', (_name, sql) => {
  expect(found(sql)).toHaveLength(1);
});

test('migrations that expand the schema are accepted', () => {
  const sql = `
    -- drop column notes; is only mentioned
    create table tickets (clinic_id uuid not null, id uuid not null, note text default 'drop table x;', primary key (clinic_id, id));
    create index tickets_by_note on tickets (note);
    alter table tickets add foreign key (clinic_id) references clinics;
    alter table patients add column country text, add column kind text not null default 'desk', add column n int check (n > 0);
    alter table patients add constraint known check (gender is not null) not valid;
    alter table patients validate constraint older;
    alter table patients alter column email drop not null;
    create function f() returns trigger language plpgsql as $$ begin update patients set a = 1; drop table x; end $$;
    do $$ begin execute format('grant delete on tickets to clinic_%s_system', current_schema()); end $$;
    select tenant_table('tickets');`;
  expect(found(sql)).toEqual([]);
  expect(found('-- outside a transaction\ncreate index concurrently patients_by_mail on patients (email);')).toEqual([]);
});

test('a fault contains its line and the remedy', () => {
  expect(found('\n-- Why: no more.\nalter table patients\n  drop column notes;\n')).toEqual([
    'services/one/migrations/0003_new.sql:3: patients: old code reads the column: stop using it in one release, drop it in the next',
  ]);
});

test('a contract step names the release after which it is allowed, which must be published', () => {
  const drop = 'alter table patients drop column notes;';
  expect(found(`-- contract after 1.4.0: nobody has read it since\n${drop}`)).toEqual([]);
  expect(found(`-- contract after 1.5.0: nobody has read it since\n${drop}`)).toHaveLength(1);
  expect(found(`-- contract after soon: nobody has read it since\n${drop}`)).toHaveLength(1);
  expect(found(`-- contract after 1.4.0:\n${drop}`)).toHaveLength(1);
  expect(found(`-- contract after 1.4.0: reason\ncreate index on patients (email);`)).toHaveLength(1);
});

test('a lock on a small table is allowed with its name and the reason', () => {
  const index = 'create index runs_by_day on runs (day);';
  expect(found(`-- locks runs: one row a clinic\n${index}`)).toEqual([]);
  expect(found(`-- locks tickets: one row a clinic\n${index}`)).toHaveLength(1);
});

test('migrations before the first release are not checked', () => {
  const drop = 'drop table patients;';
  expect(found(drop, 'services/one/migrations/0002_old.sql')).toEqual([]);
  expect(found(drop, 'services/two/migrations/0001_init.sql')).toHaveLength(1);
  expect(found(drop, 'lib/db/migrations/0004_new.sql')).toHaveLength(1);
});

test('comments, string literals and function bodies are not read as statements', () => {
  expect(sqlStatements("select 'a;b', $x$ c; d $x$; -- e;\n/* f; */ SELECT  2")).toEqual([
    { text: "select '', $$", line: 1, body: ' c; d ' },
    { text: 'select 2', line: 2, body: '' },
  ]);
});
