-- Which device a session was begun on, as its user would call it: browser and system, never the whole header.
alter table session_families add column device text not null default '';
