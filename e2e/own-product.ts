// A separate product for one test, without a demo clinic, which the test can configure or break.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PublicApi } from '@clinic/lib/testing/public-api.ts';
import { startProduct } from '../scripts/dev/product.ts';
import { tempFolder } from '../scripts/dev/temp-folder.ts';

export type OwnProduct = { api: PublicApi; pid: number | undefined /** What it has logged so far. */; output(): string; stop(): Promise<void> };

/** Starts a product on free ports, by default in one process. Rate limits are off unless a setting enables them. */
export async function startOwnProduct(env: Record<string, string> = {}, topology: PublicApi['topology'] = 'single'): Promise<OwnProduct> {
  const dataDir = tempFolder('own');
  // Marks the demo clinic as created, so that no clinic exists and all figures start at zero.
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(path.join(dataDir, 'demo.json'), JSON.stringify({ email: '', password: '', done: true }));
  const product = await startProduct(topology, { ...env, DATA_DIR: dataDir });
  return {
    api: product.api,
    pid: product.child.pid,
    output: product.output,
    async stop() {
      await product.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
