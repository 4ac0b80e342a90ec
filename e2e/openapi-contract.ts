// Compares requests and responses with the OpenAPI document.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type Answer, type Api, type Body, watched } from './api.ts';

type Operation = { name: string; method: string; pattern: RegExp; operation: Body };

/** Responses may not have fields that the document does not name, although it allows clients to receive new ones. */
function close(node: Body): void {
  if (typeof node !== 'object' || node === null) return;
  if (node.type === 'object' && node.properties && node.additionalProperties === undefined) node.additionalProperties = false;
  for (const child of Object.values(node)) close(child);
}

/** Replaces local references by references into the document that the validator knows. */
function withReferences(node: Body): Body {
  if (Array.isArray(node)) return node.map(withReferences);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries<Body>(node).map(([key, value]) => [key, key === '$ref' && value.startsWith('#/') ? `document${value}` : withReferences(value)]),
  );
}

export function createContract(source: Body) {
  const document = structuredClone(source);
  for (const [name, schema] of Object.entries(document.components.schemas)) if (name !== 'Error') close(schema);
  const ajv = new Ajv2020({ strict: false, allErrors: true, multipleOfPrecision: 6 });
  (addFormats as unknown as (to: Ajv2020) => void)(ajv);
  ajv.addFormat('binary', true);
  ajv.addSchema({ $id: 'document', ...document });
  const operations = Object.entries<Body>(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries<Body>(methods).map(([method, operation]): Operation => {
        const pattern = new RegExp(`^${path.replaceAll(/[.+]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
        return { name: `${method.toUpperCase()} ${path}`, method, pattern, operation };
      }),
    )
    .sort((a, b) => a.name.split('{').length - b.name.split('{').length); // a literal path before one with parameters
  const compiled = new Map<unknown, ValidateFunction>();
  const succeeded = new Set<string>();

  /** What is wrong with the value, at most a few faults. */
  function faultsOf(schema: Body, value: unknown): string[] {
    const validate = compiled.get(schema) ?? ajv.compile(withReferences(schema));
    compiled.set(schema, validate);
    return validate(value)
      ? []
      : (validate.errors ?? []).slice(0, 3).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
  }

  const resolve = (node: Body): Body =>
    node?.$ref
      ? node.$ref
          .slice(2)
          .split('/')
          .reduce((at: Body, key: string) => at[key], document)
      : node;

  function check(method: string, url: string, sent: unknown, { status, body, headers }: Answer): string[] {
    const [path = '', search = ''] = url.split('?');
    const found = operations.find((one) => one.method === method.toLowerCase() && one.pattern.test(path));
    if (!found) return status === 404 || status === 405 ? [] : [`${method} ${path} is not documented (${status})`];
    const { name, operation } = found;
    const response = resolve(operation.responses[status]);
    if (!response) return [`${name}: the status ${status} is not documented`];
    const faults: string[] = [];
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    const media = response.content?.[type] ?? response.content?.['*/*'];
    if (response.content && !media) faults.push(`the media type ${type} of ${status} is not documented`);
    if (media && type === 'application/json') faults.push(...faultsOf(media.schema, body).map((fault) => `${status}: ${fault}`));
    if ((status === 429 || status === 503) && !/^\d+$/.test(headers.get('retry-after') ?? '')) faults.push(`${status} has no Retry-After`);
    if (status < 300) {
      succeeded.add(name);
      const accepted = operation.requestBody?.content['application/json']?.schema;
      if (accepted && typeof sent === 'object') faults.push(...faultsOf(accepted, sent).map((fault) => `an accepted body: ${fault}`));
      const known = (operation.parameters ?? []).flatMap((parameter: Body) => (parameter.in === 'query' ? [parameter.name] : []));
      for (const parameter of new URLSearchParams(search).keys())
        if (!known.includes(parameter)) faults.push(`the accepted parameter ${parameter} is not documented`);
    }
    return faults.map((fault) => `${name}: ${fault}`);
  }

  return {
    /** The operations that succeeded so far. */
    succeeded,
    /** The client, which adds what differs from the document to `faults`. */
    watch: (api: Api, faults: string[]): Api =>
      watched(api, (method, path, body, answer) => {
        faults.push(...check(method, path, body, answer));
      }),
  };
}
