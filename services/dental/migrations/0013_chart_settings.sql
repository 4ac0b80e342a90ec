-- How a clinic wants its charts drawn. A clinic without a row uses the defaults.
create table chart_settings (
  clinic_id uuid primary key,
  colors text not null check (colors in ('standard', 'red_blue')),
  updated_at timestamptz not null
);
select tenant_table('chart_settings');
