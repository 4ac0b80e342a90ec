// Writes the pages of docs/ that are generated from code.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorsPage } from '@clinic/gateway/openapi/pages/errors.ts';
import { withRoutes } from '@clinic/gateway/openapi/pages/routes.ts';
import { rpcsPage } from '@clinic/gateway/openapi/pages/rpcs.ts';
import { areas } from '@clinic/gateway/routes/areas.ts';
import { parseOptions } from '../help.ts';
import { PROJECT } from '../schemas.ts';

const USAGE = `Usage: node scripts/run.js write-pages

Writes docs/errors.md, docs/rpcs.md and the tables of docs/api.md, from the errors, the contracts and the routes.`;

parseOptions({ options: {} }, USAGE);
const page = (name: string) => path.join(PROJECT, 'docs', name);

writeFileSync(page('errors.md'), errorsPage());
writeFileSync(page('rpcs.md'), rpcsPage());
writeFileSync(page('api.md'), withRoutes(readFileSync(page('api.md'), 'utf8'), areas));
