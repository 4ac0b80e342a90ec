-- Names with an apostrophe are also found by the joined word: O'Brien as obrien. Appends what lib/formats/search-name.ts stores from this
-- release on, to the names that earlier releases stored.
-- locks patients: names are read once, and few have an apostrophe
alter table patients no force row level security;
update patients set search_name = search_name || added.words
from (
  select clinic_id, id, string_agg(' ' || word, '' order by place) as words
  from patients,
    regexp_split_to_table(lower(regexp_replace(normalize(regexp_replace(full_name, '[''’‘ʼʻ‛′`´＇]', '', 'g'), NFD), '[\u0300-\u036f]', '', 'g')
      collate "und-x-icu"), '[^[:alnum:]]+') with ordinality as joined (word, place)
  where full_name ~ '[''’‘ʼʻ‛′`´＇]' and word <> '' and position(' ' || word || ' ' in search_name || ' ') = 0
  group by clinic_id, id
) added
where patients.clinic_id = added.clinic_id and patients.id = added.id;
alter table patients force row level security;
