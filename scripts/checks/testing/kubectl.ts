// Stands in for kubectl where documented steps are tried: it changes the model of a cluster in the file CLUSTER. What it does not know, and
// whatever the real one can do without a cluster, is left to the real one (KUBECTL).
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { apply, type Model, missing, reachFaults } from '../kubernetes-model.ts';
import { documents, type KubeObject, templateOf } from '../kubernetes-objects.ts';

const { CLUSTER = '', KUBECTL = '' } = process.env;
const before = existsSync(CLUSTER) ? readFileSync(CLUSTER, 'utf8') : '{"objects":[]}';
const model: Model = JSON.parse(before);
const args = process.argv.slice(2);
const { values, positionals } = parseArgs({
  args,
  allowPositionals: true,
  strict: false,
  options: {
    namespace: { type: 'string', short: 'n' },
    filename: { type: 'string', short: 'f', multiple: true },
    kustomize: { type: 'string', short: 'k' },
    selector: { type: 'string', short: 'l' },
    patch: { type: 'string', short: 'p' },
    output: { type: 'string', short: 'o' },
    'dry-run': { type: 'string' },
    for: { type: 'string' },
  },
});
const namespace = values.namespace as string;
const [verb, ...words] = positionals;
const faults = values['dry-run'] ? real() : perform();
// Only a change is written: the next command of a pipe may be reading the file.
const after = JSON.stringify(model);
if (after !== before) writeFileSync(CLUSTER, after);
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);

function perform(): string[] {
  if (verb === 'apply') return apply(model, selected(given()));
  if (verb === 'wait') return words[0] === 'job/migrate' ? migrate() : [];
  if (verb === 'get') {
    for (const { metadata } of selected(model.objects.filter(({ kind }) => kind === 'Deployment'))) console.log(`deployment.apps/${metadata.name}`);
    return [];
  }
  if (verb === 'patch') {
    const found = model.objects.find(({ kind, metadata }) => kind === 'Deployment' && `deployment.apps/${metadata.name}` === words[0]);
    const template = found && templateOf(found);
    if (!template) return [`there is no ${words[0]}`];
    template.metadata = { ...template.metadata, ...JSON.parse(values.patch as string).spec.template.metadata };
    return [];
  }
  if (verb === 'delete') {
    model.objects = model.objects.filter(({ kind, metadata }) => !(kind.toLowerCase() === words[0] && metadata.name === words[1]));
    return [];
  }
  if (verb === 'create' && words[0] === 'job') {
    const cron = model.objects.find(({ kind, metadata }) => kind === 'CronJob' && metadata.name === 'ops' && metadata.namespace === namespace);
    const template = cron && templateOf(cron);
    return template
      ? apply(model, [{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: words[1] ?? '', namespace }, spec: { template } } as KubeObject])
      : ['there is no CronJob ops'];
  }
  if (verb === 'exec') {
    const job = model.objects.find(({ kind, metadata }) => kind === 'Job' && `job/${metadata.name}` === words[0]);
    return job ? missing(model, job) : [`there is no ${words[0]}`];
  }
  return [`the model does not know kubectl ${args.join(' ')}`];
}

/** The objects of the files, of the standard input, of a kustomization; of a file in the internet its operator. */
function given(): KubeObject[] {
  if (values.kustomize) return documents(spawnSync(KUBECTL, ['kustomize', values.kustomize as string], { encoding: 'utf8' }).stdout);
  return (values.filename as string[]).flatMap((file) => {
    if (file.startsWith('https:'))
      return [{ apiVersion: 'v1', kind: 'Operator', metadata: { name: file.includes('barman') ? 'barmancloud.cnpg.io' : 'postgresql.cnpg.io' } }];
    const found = documents(readFileSync(file === '-' ? 0 : file, 'utf8'));
    return found.flatMap((one) => (one.kind === 'List' ? (one as KubeObject & { items: KubeObject[] }).items : [one]));
  });
}

function selected(objects: KubeObject[]): KubeObject[] {
  const selector = values.selector as string | undefined;
  if (selector === undefined) return objects;
  const [, not, key = ''] = /^(!?)([\w./-]+)$/.exec(selector) ?? [];
  return objects.filter(({ metadata }) => (metadata.labels?.[key] === undefined) === (not === '!'));
}

/** The migration is complete when its pod can be made and reaches the database, whose pods can be made. */
function migrate(): string[] {
  const found = (kind: string) => model.objects.filter((object) => object.kind === kind);
  const job = found('Job').find(({ metadata }) => metadata.name === 'migrate');
  if (!job) return ['there is no Job migrate'];
  const owner = found('Secret').find(({ metadata }) => metadata.name === 'clinic-owner') as { data?: Record<string, string> } | undefined;
  const url = Buffer.from(owner?.data?.database_owner ?? '', 'base64').toString();
  const stores = [...found('Cluster'), ...found('StatefulSet'), ...found('ObjectStore')];
  return [
    ...missing(model, job),
    ...stores.flatMap((store) => missing(model, store)),
    ...(URL.canParse(url) ? reachFaults(model, job, url) : ['the URL of the owner is missing']),
  ];
}

function real(): string[] {
  const { status, stdout, stderr } = spawnSync(KUBECTL, args, { encoding: 'utf8' });
  process.stdout.write(stdout);
  return status === 0 ? [] : [stderr];
}
