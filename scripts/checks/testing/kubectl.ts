// Replaces kubectl in tests of documented steps: it changes the model of a cluster. Other commands, and those that need no cluster, are passed to
// the real kubectl. The model is in the process of the test, because loading it for each command would take most of the time.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { apply, type Model, missing, reachFaults } from '../kubernetes-model.ts';
import { documents, type KubeObject, templateOf } from '../kubernetes-objects.ts';

export type Cluster = {
  model: Model;
  /** The source of the program that replaces `kubectl`. */
  program: string;
  close(): void;
};

/** `real` is the path of kubectl. */
export async function startCluster(real: string): Promise<Cluster> {
  const cluster: Cluster = { model: { objects: [] }, program: '', close: () => server.close() };
  const server = createServer(async (socket) => {
    let received = '';
    for await (const part of socket.setEncoding('utf8')) {
      received += part;
      const [count, ...words] = received.split('\0');
      if (words.length < Number(count) + 2) continue; // each word and the input end with a NUL
      const { faults, output } = perform(cluster.model, real, words.slice(0, Number(count)), words[Number(count)] ?? '');
      socket.end([Number(faults.length > 0), ...faults, ...output, ''].join('\n'));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cluster.program = programAt((server.address() as AddressInfo).port, real);
  return cluster;
}

/** Sends its arguments and, if a file is `-`, its standard input. The first line of the response is its exit code. */
const programAt = (port: number, real: string) => `#!/bin/bash
[[ " $* " == *" --dry-run="* ]] && exec '${real}' "$@"
[[ " $* " == *" -f - "* ]] && input=$(cat)
exec 3<>/dev/tcp/127.0.0.1/${port}
printf '%s\\0' "$#" "$@" "\${input-}" >&3
read -r status <&3
cat <&3 >&$((status + 1))
exit "$status"
`;

/** Executes a command. */
function perform(model: Model, real: string, args: string[], input: string): { faults: string[]; output: string[] } {
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
      for: { type: 'string' },
    },
  });
  const namespace = values.namespace as string;
  const [verb, ...words] = positionals;
  const output: string[] = [];
  return { faults: execute(), output };

  function execute(): string[] {
    if (verb === 'apply') return apply(model, selected(given()));
    if (verb === 'rollout') return []; // the model has no pods
    if (verb === 'wait') return words[0] === 'job/migrate' ? migrate(model) : [];
    if (verb === 'get') {
      for (const { metadata } of selected(model.objects.filter(({ kind }) => kind === 'Deployment'))) output.push(`deployment.apps/${metadata.name}`);
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

  /** The objects of files, of the standard input or of a kustomization. A URL stands for the operator that it installs. */
  function given(): KubeObject[] {
    if (values.kustomize) return documents(build(real, values.kustomize as string));
    return (values.filename as string[]).flatMap((file) => {
      if (file.startsWith('https:'))
        return [{ apiVersion: 'v1', kind: 'Operator', metadata: { name: file.includes('barman') ? 'barmancloud.cnpg.io' : 'postgresql.cnpg.io' } }];
      const found = documents(file === '-' ? input : readFileSync(file, 'utf8'));
      return found.flatMap((one) => (one.kind === 'List' ? (one as KubeObject & { items: KubeObject[] }).items : [one]));
    });
  }

  function selected(objects: KubeObject[]): KubeObject[] {
    const selector = values.selector as string | undefined;
    if (selector === undefined) return objects;
    const [, not, key = ''] = /^(!?)([\w./-]+)$/.exec(selector) ?? [];
    return objects.filter(({ metadata }) => (metadata.labels?.[key] === undefined) === (not === '!'));
  }
}

const built = new Map<string, string>();

/** What kustomize builds in a folder. Each folder is built once, because its files do not change. */
function build(real: string, folder: string): string {
  const output = built.get(folder) ?? spawnSync(real, ['kustomize', folder], { encoding: 'utf8' }).stdout;
  built.set(folder, output);
  return output;
}

/** The migration is complete when its pod can run and reaches the database, whose pods can run too. */
function migrate(model: Model): string[] {
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
