// The import rules, with a small source tree in which every rule is violated once.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PROJECT } from '../schemas.ts';
import { moduleCircles } from './module-circles.ts';

/** A file, its imports, and the rules that they violate. */
const TREE: [file: string, imports: string, broken: string[]][] = [
  ['lib/db/db.ts', '', []],
  ['lib/errors/errors.ts', '../db/db.ts', []],
  ['lib/formats/uuid.ts', '', []],
  ['lib/testing/callers.ts', '', []],
  ['lib/clock/clock.ts', '../../services/one/service.ts', ['lib-imports-no-domain']],
  ['lib/events/events.ts', '../../proto/gen/clinic/one/v1/one_pb.js', ['lib-imports-common-contracts']],
  ['lib/rpc/caller.ts', '../../proto/gen/clinic/common/v1/options_pb.js', []],
  ['lib/telemetry/log.ts', '../testing/callers.ts', ['tests-stay-outside']],
  ['lib/jobs/circle.ts', './circle-back.ts', []],
  ['lib/jobs/circle-back.ts', './circle.ts', ['no-cycle']],
  ['lib/jobs/nowhere.ts', './nothing-there.ts', ['found']],
  ['proto/gen/clinic/common/v1/options_pb.js', '', []],
  ['proto/gen/clinic/one/v1/one_pb.js', '', []],
  ['services/one/service.ts', './bookings/module.ts', []],
  ['services/one/bookings/module.ts', './rpcs/get-one.ts', []],
  ['services/one/bookings/takes-module.ts', '../people/module.ts', ['module-ts-is-wiring']],
  ['services/one/bookings/takes-service.ts', '../service.ts', ['service-ts-is-wiring']],
  ['services/one/bookings/rpcs/get-one.ts', '../rules/good.ts', []],
  ['services/one/bookings/rpcs/get-two.ts', './get-one.ts', ['rpcs-are-apart']],
  ['services/one/bookings/get-three.ts', '../../two/people/rows.sql.ts', ['services-import-no-service']],
  ['services/one/bookings/get-four.ts', '../../../gateway/http/route.ts', ['services-import-no-gateway']],
  ['services/one/bookings/get-five.ts', 'pg', ['only-lib-imports-pg']],
  ['services/one/bookings/rules/good.ts', 'node:crypto', []],
  ['services/one/bookings/rules/better.ts', '../../people/person-rules.ts', []],
  ['services/one/bookings/rules/reads.ts', 'node:fs', ['rules-import-no-core']],
  ['services/one/bookings/rules/formats.ts', '../../../../lib/formats/uuid.ts', []],
  ['services/one/people/module.ts', './rows.sql.ts', []],
  ['services/one/people/person-rules.ts', '', []],
  ['services/one/people/other-rules.ts', '../../../lib/db/db.ts', ['rules-decide-without-io']],
  ['services/one/people/driver-rules.ts', 'nats', ['rules-import-no-driver']],
  ['services/one/people/rows.sql.ts', '../../../lib/db/db.ts', []],
  ['services/one/people/calls-back.sql.ts', '../bookings/rpcs/get-one.ts', ['sql-imports-no-caller']],
  ['services/messaging/app.ts', '', []],
  ['services/messaging/assistant/turn.ts', '../app.ts', []],
  ['services/messaging/assistant/tool.ts', '../faq/faqs.sql.ts', ['assistant-calls-by-rpc']],
  ['services/messaging/faq/faqs.sql.ts', '', []],
  ['services/two/people/rows.sql.ts', '../../../lib/db/db.ts', []],
  ['gateway/http/route.ts', '../../lib/errors/errors.ts', []],
  ['gateway/pipeline/mount.ts', '../../services/one/service.ts', ['gateway-imports-contracts-only']],
  ['gateway/pipeline/starts.ts', '../../scripts/dev/start.ts', ['gateway-imports-contracts-only']],
  ['gateway/http/route.test.ts', './route.ts', []],
  ['e2e/starts.test.ts', '../scripts/dev/start.ts', []],
  ['scripts/dev/start.ts', '../../services/one/service.ts', []],
];

type Violation = { rule: { name: string }; from: string };
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-directions-'));
  for (const [file, imports] of TREE) {
    const place = path.join(folder, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, `${imports ? `import * as it from '${imports}';\nconsole.log(it);\n` : ''}export const here = 1;\n`);
  }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'tree', type: 'module', dependencies: { pg: '1', nats: '1' } }));
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function cruise(): Promise<Violation[]> {
  const config = path.join(PROJECT, '.dependency-cruiser.js');
  const program = path.join(PROJECT, 'node_modules/.bin/depcruise');
  return new Promise((resolve, reject) => {
    const args = [program, '--config', config, '--output-type', 'json', 'lib', 'gateway', 'services', 'scripts', 'e2e'];
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout).summary.violations);
      } catch {
        reject(new Error(stderr || stdout));
      }
    });
  });
}

test('each rule reports its violation, and nothing else is reported', async () => {
  const found = (await cruise()).map(({ rule, from }) => `${from}: ${rule.name}`);
  const wanted = TREE.flatMap(([file, , broken]) => broken.map((rule) => `${file}: ${rule}`));
  expect([...new Set(found)].sort()).toEqual(wanted.sort());
});

test('a cycle between two modules is found although no two files form one', async () => {
  const found = await moduleCircles(folder, ['services']);
  expect(found.map((line) => line.split(':')[0]).sort()).toEqual([
    'services/one/bookings and services/one/people are on a circle',
    'services/one/people and services/one/bookings are on a circle',
  ]);
});

test('the modules of this project form no cycle', async () => {
  expect(await moduleCircles(PROJECT)).toEqual([]);
});
