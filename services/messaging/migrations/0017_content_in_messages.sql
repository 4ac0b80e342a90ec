-- What is sent is stored once, in messages.content: the rows of a list with the title of its button, and templates, are added to what the
-- staff see. outbound.content and outside_window are of the earlier release. Processes of this one say so in the setting app.reads_messages
-- when they claim messages. migrations/next drops all that only the earlier release needs.

-- An owner that is no superuser sees no row while row-level security is forced. The tables are locked in the order of the processes.
alter table outbound no force row level security;
alter table sends no force row level security;
alter table messages no force row level security;

-- The content of a message, with what the earlier release stored in outbound only.
create function to_message_content(shown jsonb, sent jsonb) returns jsonb language sql immutable parallel safe
return case sent->>'type'
  when 'list' then shown || jsonb_build_object('listButton', sent->'button', 'choices', jsonb_path_query_array(sent, '$.sections[*].rows[*]'))
  when 'template' then shown || jsonb_build_object('template', sent - 'type' - 'text')
  else shown end;

-- The same as the earlier release stores it in outbound.
create function to_outbound_content(content jsonb) returns jsonb language sql immutable parallel safe
return jsonb_build_object('text', content->'text') || case
  when content ? 'template' then content->'template' || '{"type": "template"}'
  when content ? 'listButton' then jsonb_build_object('type', 'list', 'button', content->'listButton', 'sections', jsonb_build_array(jsonb_build_object('rows', content->'choices')))
  when content ? 'choices' then jsonb_build_object('type', 'buttons', 'buttons', content->'choices')
  else '{"type": "text"}' end;

create function complete_content() returns trigger language plpgsql set search_path from current as $$
begin
  new.content := coalesce((select to_message_content(new.content, o.content) from outbound o where o.clinic_id = new.clinic_id and o.id = new.id), new.content);
  return new;
end $$;
create trigger message_stored before insert on messages for each row
  when (new.direction = 'out' and new.type in ('interactive', 'template') and not new.content ?| array['listButton', 'template'])
  execute function complete_content();

create function copy_content() returns trigger language plpgsql set search_path from current as $$
begin
  new.content := (select to_outbound_content(m.content) from messages m where m.clinic_id = new.clinic_id and m.id = new.id);
  return new;
end $$;
create trigger outbound_claimed before update of state on outbound for each row
  when (new.state = 'sending' and new.content is null and new.reference is null and current_setting('app.reads_messages', true) is distinct from 'on')
  execute function copy_content();

-- What waits now.
-- locks messages: only lists and templates that are yet to be sent
update messages m set content = to_message_content(m.content, o.content)
from sends s join outbound o on o.clinic_id = s.clinic_id and o.id = s.id
where m.clinic_id = s.clinic_id and m.id = s.id and o.content->>'type' in ('list', 'template');
alter table messages force row level security;
alter table outbound force row level security;
alter table sends force row level security;
