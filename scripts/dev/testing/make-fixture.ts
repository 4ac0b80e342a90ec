// Makes the installation that the upgrade test opens: the archive, the secrets and the links of a product with unfinished work.
// Runs in the checkout of any release, so that the fixture of that release can be made again.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runScript } from '../../../e2e/setup/ops.ts';
import { freePort } from '../../../lib/runtime/free-port.ts';
import { misused, parseOptions } from '../../help.ts';
import { PROJECT } from '../../schemas.ts';
import { withoutDemo } from '../demo/file.ts';
import { startProduct } from '../product.ts';
import { tempFolder } from '../temp-folder.ts';
import { fillInstallation } from './fixture-story.ts';

const USAGE = `Usage: node scripts/run.js dev/testing/make-fixture --to <folder>

Starts the product on an empty data folder, fills it through the public API, the chat simulator and the webhooks, stops in the
middle of unfinished work, and writes into the folder:

  archive/            the backup (npm run backup)
  secrets.env         its keys, made for this fixture only
  dte-simulator/      what the simulated tax authority has received
  installation.json   links, ids and buttons for the test

  --to <folder>  a folder that does not exist yet`;

const { to } = parseOptions({ options: { to: { type: 'string' } } }, USAGE).values;
if (!to || existsSync(to)) misused('Name a folder that does not exist yet with --to.', USAGE);
const folder = path.resolve(to);

const dataDir = tempFolder('fixture');
withoutDemo(dataDir);
const ports = { CHAT_SIMULATOR_PORT: String(await freePort()), DTE_SIMULATOR_PORT: String(await freePort()) };
const simulators = { chat: `http://127.0.0.1:${ports.CHAT_SIMULATOR_PORT}`, authority: `http://127.0.0.1:${ports.DTE_SIMULATOR_PORT}` };
const product = await startProduct('single', {
  ...ports,
  DATA_DIR: dataDir,
  PAYMENTS_VARIANTS: JSON.stringify({ 111: { plan: 'basic', cycle: 'month' } }),
  DTE_LINK_DAYS: '3650', // the expiry is in the link, so that it cannot be brought forward
});
try {
  const installation = await fillInstallation(product, simulators);
  mkdirSync(folder, { recursive: true });
  const { status, stderr } = await runScript(dataDir, 'backup', '--to', path.join(folder, 'archive'));
  if (status !== 0) throw new Error(stderr);
  copyFileSync(path.join(dataDir, 'secrets.env'), path.join(folder, 'secrets.env'));
  cpSync(path.join(dataDir, 'dte-simulator'), path.join(folder, 'dte-simulator'), { recursive: true });
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: PROJECT, encoding: 'utf8' }).trim();
  writeFileSync(path.join(folder, 'installation.json'), `${JSON.stringify({ commit, ...installation }, undefined, 2)}\n`);
  console.log(`wrote ${folder}`);
} finally {
  await product.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
