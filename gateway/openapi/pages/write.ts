// `node gateway/openapi/pages/write.ts` updates docs/errors.md, docs/rpcs.md and the tables in docs/api.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { areas } from '../../routes/areas.ts';
import { errorsPage } from './errors.ts';
import { withRoutes } from './routes.ts';
import { rpcsPage } from './rpcs.ts';

const page = (name: string) => new URL(`../../../docs/${name}`, import.meta.url);

writeFileSync(page('errors.md'), errorsPage());
writeFileSync(page('rpcs.md'), rpcsPage());
writeFileSync(page('api.md'), withRoutes(readFileSync(page('api.md'), 'utf8'), areas));
