-- Names are found without the letters that Unicode does not decompose: Łukasz as lukasz, Jørgensen as jorgensen, Weiß as weiss. Replaces
-- them as lib/formats/search-name.ts does from this release on, in the names that earlier releases stored.
-- locks conversations: names are read once, and few have these letters
alter table conversations no force row level security;
update conversations
set search_name = replace(replace(replace(replace(translate(search_name, 'łøđðı', 'loddi'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
where search_name ~ '[łøđðıßæœþ]';
alter table conversations force row level security;
