// A separate product for one test, without a demo clinic, which the test can configure or break.
import { rmSync } from 'node:fs';
import type { PublicApi } from '@clinic/lib/testing/public-api.ts';
import { withoutDemo } from '../scripts/dev/demo/file.ts';
import { startProduct } from '../scripts/dev/product.ts';
import { tempFolder } from '../scripts/dev/temp-folder.ts';

export type OwnProduct = { api: PublicApi; pid: number | undefined /** What it has logged so far. */; output(): string; stop(): Promise<void> };

/** Starts a product on free ports, by default in one process. Rate limits are off unless a setting enables them. */
export async function startOwnProduct(env: Record<string, string> = {}, topology: PublicApi['topology'] = 'single'): Promise<OwnProduct> {
  const dataDir = tempFolder('own');
  withoutDemo(dataDir); // so that no clinic exists and all figures start at zero
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
