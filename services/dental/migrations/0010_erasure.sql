-- What is only ever added to can be erased all the same when a patient asks for it: by the system's role, and never changed.
do $$ begin
  execute format('grant delete on quotes, quote_acceptances, chart_entries, periodontal_exams to clinic_%s_system', current_schema());
end $$;
