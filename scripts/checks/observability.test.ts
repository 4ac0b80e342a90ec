// Dashboard, rules and page ask for metrics that the code makes, and promtool understands and tries the rules where it is installed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { metrics } from '@clinic/lib/telemetry/metrics.ts';
import '@clinic/lib/db/pool-use.ts';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { PROJECT } from '../schemas.ts';
import { metricsIn, queriesOfDashboard, unknownMetrics } from './observability.ts';

type Rules = { groups: { rules: { alert: string; expr: string; for?: string; labels: { severity: string }; annotations: { summary: string } }[] }[] };

const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
const PROMETHEUS = path.join(PROJECT, 'deploy/prometheus');
const rules = (parse(read('deploy/prometheus/rules.yml')) as Rules).groups.flatMap((group) => group.rules);
const known = async () => (await metrics.getMetricsAsJSON()).map(({ name, type }) => ({ name, type: String(type) }));

test('the names of metrics in a query', () => {
  expect(metricsIn('sum by (le, route) (rate(clinic_http_seconds_bucket{route=~".*web_hook.*"}[5m])) / on (x_y) up{job="a_b"} > 0.5')).toEqual([
    'clinic_http_seconds_bucket',
    'up',
  ]);
  expect(metricsIn('histogram_quantile(0.99, sum by (le) (rate(a_b_bucket[$__rate_interval]))) > label_replace(c_d, "x_y", "$1", "z_z", "")')).toEqual(
    expect.arrayContaining(['a_b_bucket', 'c_d']),
  );
});

test('a metric that nobody makes is found', async () => {
  expect(unknownMetrics('here', ['rate(clinic_http_seconds_count[5m])', 'clinic_htp_seconds_count', 'clinic_http_seconds'], await known())).toEqual([
    'here: nobody makes clinic_htp_seconds_count, which is asked for in clinic_htp_seconds_count',
    'here: nobody makes clinic_http_seconds, which is asked for in clinic_http_seconds',
  ]);
});

test('the dashboard and the rules ask for metrics that there are', async () => {
  const dashboard = queriesOfDashboard(read('deploy/grafana/dashboards/clinic.json'));
  expect(dashboard.length).toBeGreaterThan(20);
  expect(unknownMetrics('dashboard', dashboard, await known())).toEqual([]);
  const asked = rules.map(({ expr }) => expr);
  expect(asked.length).toBeGreaterThan(10);
  expect(unknownMetrics('rules', asked, await known())).toEqual([]);
});

test('every metric of ours is on the dashboard and on the page', async () => {
  const shown = queriesOfDashboard(read('deploy/grafana/dashboards/clinic.json')).flatMap(metricsIn).join(' ');
  const page = read('docs/observability.md');
  for (const { name } of (await known()).filter((metric) => metric.name.startsWith('clinic_'))) {
    expect(shown).toContain(name);
    expect(page).toContain(`\`${name}\``);
  }
});

test('every alert has a severity, says what is wrong, and the page says what to do', () => {
  const page = read('docs/observability.md');
  for (const { alert, labels, annotations } of rules) {
    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations.summary.length).toBeGreaterThan(10);
    expect(page).toContain(`| ${alert} |`);
  }
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
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
