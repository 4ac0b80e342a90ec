// The official schemas by kind and version, from DTE_SCHEMA_DIR or a folder beside the project. Without them, documents are only checked for
// signature and duplicates.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Ajv, ValidateFunction } from 'ajv';
import { Decimal } from 'decimal.js';
import { PROJECT } from '../../schemas.ts';
import { hasSchemas } from './schema-folders.ts';

const FILES: Record<string, string> = {
  '01v1': 'legacy-2022-2025/fe-fc-v1',
  '03v3': 'legacy-2022-2025/fe-ccf-v3',
  '05v3': 'legacy-2022-2025/fe-nc-v3',
  invalidationv2: 'legacy-2022-2025/anulacion-schema-v2',
  contingencyv3: 'legacy-2022-2025/contingencia-schema-v3',
  '01v2': 'current-2026/v2/fe-f-v2',
  '03v4': 'current-2026/v4/fe-ccf-v4',
  '05v4': 'current-2026/v4/fe-nc-v4',
  invalidationv3: 'current-2026/v3/invalidacion-schema-v3',
  contingencyv4: 'current-2026/v4/contingencia-schema-v4',
};

export const schemaFolder = [process.env.DTE_SCHEMA_DIR, path.resolve(PROJECT, '../shared/reference/dte')].find((one) => one !== undefined && hasSchemas(one));

const compiled = new Map<string, ValidateFunction>();

/** What the schema has against a document; nothing where there are no schemas. */
export async function schemaFaults(kind: string, version: unknown, document: unknown): Promise<string[]> {
  const file = FILES[`${kind}v${version}`];
  if (!file) return [`no schema of ${kind} has version ${version}`];
  if (!schemaFolder) return [];
  const validate = compiled.get(file) ?? (await compile(file));
  compiled.set(file, validate);
  return validate(document) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

async function compile(file: string): Promise<ValidateFunction> {
  // ajv is a development dependency: only developers have the schemas.
  const { Ajv: Checker } = await import('ajv');
  const { default: addFormats } = await import('ajv-formats');
  const ajv = new Checker({ strict: false, multipleOfPrecision: 6, allErrors: true });
  (addFormats as unknown as (ajv: Ajv) => void)(ajv);
  // ajv divides doubles and refuses 139.79 at 8 decimals, which is exact, so this keyword is checked with decimal arithmetic.
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({ keyword: 'multipleOf', type: 'number', validate: (step: number, value: number) => new Decimal(value).mod(step).isZero() });
  return ajv.compile(JSON.parse(readFileSync(path.join(schemaFolder ?? '', `${file}.json`), 'utf8')));
}
