// The check of directions, seen to fail: a small house in which every rule is broken once.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PROJECT } from '../schemas.ts';

/** File, what it imports, and the rules that this breaks. */
const HOUSE: [file: string, imports: string, broken: string[]][] = [
  ['lib/db/db.ts', '', []],
  ['lib/errors/errors.ts', './db.ts', []],
  ['lib/testing/callers.ts', '', []],
  ['lib/runtime/clock.ts', '../services/one/service.ts', ['lib-knows-no-domain']],
  ['lib/events/events.ts', '../proto/gen/clinic/one/v1/one_pb.js', ['lib-knows-common-contracts']],
  ['lib/rpc/caller.ts', '../proto/gen/clinic/common/v1/options_pb.js', []],
  ['lib/telemetry/log.ts', './testing/callers.ts', ['tests-stay-outside']],
  ['lib/circle.ts', './circle-back.ts', []],
  ['lib/circle-back.ts', './circle.ts', ['no-cycle']],
  ['lib/nowhere.ts', './nothing-there.ts', ['found']],
  ['proto/gen/clinic/common/v1/options_pb.js', '', []],
  ['proto/gen/clinic/one/v1/one_pb.js', '', []],
  ['services/one/service.ts', './handlers/get-one.ts', []],
  ['services/one/handlers/get-one.ts', '../rules/good.ts', []],
  ['services/one/handlers/get-two.ts', './get-one.ts', ['handlers-are-apart']],
  ['services/one/handlers/get-three.ts', '../../two/sql/rows.ts', ['services-are-strangers']],
  ['services/one/handlers/get-four.ts', '../../../gateway/route.ts', ['services-know-no-gateway']],
  ['services/one/handlers/get-five.ts', 'pg', ['only-sql-speaks-to-pg']],
  ['services/one/rules/good.ts', 'node:crypto', []],
  ['services/one/rules/better.ts', './good.ts', []],
  ['services/one/rules/reads.ts', 'node:fs', ['rules-know-no-core']],
  ['services/one/rules/asks.ts', '../../../lib/db.ts', ['rules-decide-without-io']],
  ['services/one/rules/calls.ts', 'nats', ['rules-know-no-driver']],
  ['services/one/sql/rows.ts', '../../../lib/db.ts', []],
  ['services/one/sql/calls-back.ts', '../handlers/get-one.ts', ['sql-states']],
  ['services/two/sql/rows.ts', '../../../lib/db.ts', []],
  ['gateway/http/route.ts', '../lib/errors.ts', []],
  ['gateway/pipeline/mount.ts', '../services/one/service.ts', ['gateway-knows-contracts-only']],
  ['gateway/starts.ts', '../scripts/start.ts', ['gateway-needs-no-scripts']],
  ['gateway/tests/door/starts.test.ts', '../../../scripts/start.ts', []],
  ['gateway/tests/route.test.ts', '../route.ts', []],
  ['scripts/dev/start.ts', '../services/one/service.ts', []],
];

type Violation = { rule: { name: string }; from: string };
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-directions-'));
  for (const [file, imports] of HOUSE) {
    const place = path.join(folder, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, `${imports ? `import * as it from '${imports}';\nconsole.log(it);\n` : ''}export const here = 1;\n`);
  }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'house', type: 'module', dependencies: { pg: '1', nats: '1' } }));
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function cruise(): Promise<Violation[]> {
  const config = path.join(PROJECT, '.dependency-cruiser.js');
  const program = path.join(PROJECT, 'node_modules/.bin/depcruise');
  return new Promise((resolve, reject) => {
    const args = [program, '--config', config, '--output-type', 'json', 'lib', 'gateway', 'services', 'scripts'];
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout).summary.violations);
      } catch {
        reject(new Error(stderr || stdout));
      }
    });
  });
}

test('each rule finds its fault, and nothing else is at fault', async () => {
  const found = (await cruise()).map(({ rule, from }) => `${from}: ${rule.name}`);
  const wanted = HOUSE.flatMap(([file, , broken]) => broken.map((rule) => `${file}: ${rule}`));
  expect([...new Set(found)].sort()).toEqual(wanted.sort());
});
