// Writes the generated part of the SDK.
import { mkdirSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { openApiDocument } from '../gateway/openapi/document.ts';
import { areas } from '../gateway/routes/areas.ts';
import { parseOptions } from '../scripts/help.ts';

const USAGE = `Usage: node sdk/generate.ts

Writes sdk/src/gen: the types of the API, from the document that the gateway serves, and the paths whose POST honours an Idempotency-Key.`;

parseOptions({ options: {} }, USAGE);

const FOLDER = new URL('./src/gen/', import.meta.url);
const write = (name: string, text: string) => writeFileSync(new URL(name, FOLDER), `// Written by sdk/generate.ts.\n${text}`);

const document = openApiDocument(areas, '/');
const options = { rootTypes: true, rootTypesNoSchemaPrefix: true, alphabetize: true };
const types = await openapiTS(JSON.parse(JSON.stringify(document)), { ...options, transform: toFileType });
const creating = areas.flatMap(({ routes }) => routes.flatMap(({ creates, path }) => (creates ? [path.replaceAll(/:(\w+)/g, '{$1}')] : [])));

mkdirSync(FOLDER, { recursive: true });
write('schema.ts', astToString(types));
write('creating.ts', `export const CREATING: ReadonlySet<string> = new Set(${JSON.stringify(creating, undefined, 2)});\n`);

/** The type of a file or of a form with a file; undefined for other schemas, whose types are those of openapi-typescript. */
function toFileType({ format, properties }: { format?: string; properties?: { file?: object } }) {
  const isForm = properties?.file && 'format' in properties.file && properties.file.format === 'binary';
  const name = isForm ? 'FormData' : format === 'binary' ? 'Blob' : undefined;
  return name && ts.factory.createTypeReferenceNode(name);
}
