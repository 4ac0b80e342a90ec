// The dashboard, the alert rules and the page use existing metrics. Where promtool is installed, it checks and tests the rules.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { metrics } from '@clinic/lib/telemetry/metrics.ts';
import '@clinic/lib/db/pool-use.ts';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { PROJECT } from '../schemas.ts';
import { metricsIn, metricsOfQueries, queriesOfDashboard, unknownMetrics } from './observability.ts';

type Rules = {
  groups: { rules: { alert: string; expr: string; for?: string; labels: { severity: string }; annotations: { summary: string; runbook_url: string } }[] }[];
};

const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
const PROMETHEUS = path.join(PROJECT, 'deploy/prometheus');
const rules = (parse(read('deploy/prometheus/rules.yml')) as Rules).groups.flatMap((group) => group.rules);
const ours = async () => (await metrics.getMetricsAsJSON()).map(({ name, type }) => ({ name, type: String(type) }));
const ofPostgres = metricsOfQueries(parse(read('deploy/prometheus/postgres-queries.yml')));
const known = async () => [...(await ours()), ...ofPostgres.map((name) => ({ name, type: 'gauge' }))];

test('the names of metrics in a query', () => {
  expect(metricsIn('sum by (le, route) (rate(clinic_http_seconds_bucket{route=~".*web_hook.*"}[5m])) / on (x_y) up{job="a_b"} > 0.5')).toEqual([
    'clinic_http_seconds_bucket',
    'up',
  ]);
  expect(metricsIn('histogram_quantile(0.99, sum by (le) (rate(a_b_bucket[$__rate_interval]))) > label_replace(c_d, "x_y", "$1", "z_z", "")')).toEqual(
    expect.arrayContaining(['a_b_bucket', 'c_d']),
  );
});

test('a metric that does not exist is found', async () => {
  expect(unknownMetrics('here', ['rate(clinic_http_seconds_count[5m])', 'clinic_htp_seconds_count', 'clinic_http_seconds'], await known())).toEqual([
    'here: there is no metric clinic_htp_seconds_count, which is used in clinic_htp_seconds_count',
    'here: there is no metric clinic_http_seconds, which is used in clinic_http_seconds',
  ]);
});

test('the dashboard and the rules use only existing metrics', async () => {
  const dashboard = queriesOfDashboard(read('deploy/grafana/dashboards/clinic.json'));
  expect(dashboard.length).toBeGreaterThan(20);
  expect(unknownMetrics('dashboard', dashboard, await known())).toEqual([]);
  const asked = rules.map(({ expr }) => expr);
  expect(asked.length).toBeGreaterThan(10);
  expect(unknownMetrics('rules', asked, await known())).toEqual([]);
});

test('every metric of the product is on the dashboard and on the page', async () => {
  const shown = queriesOfDashboard(read('deploy/grafana/dashboards/clinic.json')).flatMap(metricsIn).join(' ');
  const page = read('docs/observability.md');
  for (const { name } of (await ours()).filter((metric) => metric.name.startsWith('clinic_'))) {
    expect(shown).toContain(name);
    expect(page).toContain(`\`${name}\``);
  }
});

test('every alert has a severity, a description and a link to a runbook that exists', () => {
  for (const { alert, labels, annotations } of rules) {
    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations.summary.length).toBeGreaterThan(10);
    expect(annotations.runbook_url).toBe(`docs/runbooks/${alert}.md`);
    const headings = [...read(annotations.runbook_url).matchAll(/^##? ([A-Z].*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([alert, 'Symptom', 'Likely causes', 'Commands', 'When to wake somebody']);
  }
  const pages = readdirSync(path.join(PROJECT, 'docs/runbooks')).map((file) => path.basename(file, '.md'));
  expect(pages.sort()).toEqual(rules.map(({ alert }) => alert).sort());
});

test('every alert is tested to fire', () => {
  type Case = { alertname: string; exp_alerts?: unknown[] };
  const { tests } = parse(read('deploy/prometheus/rules_test.yml')) as { tests: { alert_rule_test: Case[] }[] };
  const fired = tests.flatMap((one) => one.alert_rule_test.flatMap(({ alertname, exp_alerts = [] }) => (exp_alerts.length > 0 ? [alertname] : [])));
  expect(rules.map(({ alert }) => alert).filter((alert) => !fired.includes(alert))).toEqual([]);
});

const promtool = (args: string[]) => spawnSync('promtool', args, { encoding: 'utf8', cwd: PROMETHEUS });
const whereInstalled = promtool(['--version']).error ? test.skip : test;

whereInstalled.each([[['check', 'config', 'prometheus.yml']], [['check', 'rules', 'rules.yml']], [['test', 'rules', 'rules_test.yml']]])(
  'promtool %j (Debian: apt-get install prometheus)',
  (args) => {
    const { status, stdout, stderr } = promtool(args);
    expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' });
  },
);

whereInstalled('promtool refuses a rule that is none', () => {
  expect(spawnSync('promtool', ['check', 'rules'], { input: 'groups: [{name: a, rules: [{alert: A, expr: "sum(("}]}]', encoding: 'utf8' }).status).not.toBe(0);
});
