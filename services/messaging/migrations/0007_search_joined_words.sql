-- Names with an apostrophe are also found by the joined word: O'Brien as obrien. Appends what lib/formats/search-name.ts stores from this
-- release on, to the names that earlier releases stored.
-- locks conversations: names are read once, and few have an apostrophe
alter table conversations no force row level security;
update conversations set search_name = search_name || added.words
from (
  select clinic_id, id, string_agg(' ' || word, '' order by place) as words
  from conversations,
    regexp_split_to_table(lower(regexp_replace(normalize(regexp_replace(patient_name, '[''’‘ʼʻ‛′`´＇]', '', 'g'), NFD), '[\u0300-\u036f]', '', 'g')
      collate "und-x-icu"), '[^[:alnum:]]+') with ordinality as joined (word, place)
  where patient_name ~ '[''’‘ʼʻ‛′`´＇]' and word <> '' and position(' ' || word || ' ' in search_name || ' ') = 0
  group by clinic_id, id
) added
where conversations.clinic_id = added.clinic_id and conversations.id = added.id;
alter table conversations force row level security;
