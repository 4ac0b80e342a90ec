-- Acceptances never change, but what is sealed in them must be sealed again when keys are rotated: by the system's role, and
-- these columns alone.
do $$ begin
  execute format('grant update (signer_sealed, signature_sealed) on quote_acceptances to clinic_%s_system', current_schema());
end $$;
