// A product of a test's own, without a demo clinic: to configure, or to break.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PublicApi } from '@clinic/lib/testing/public-api.ts';
import { startProduct } from '../scripts/dev/product.ts';
import { tempFolder } from '../scripts/dev/temp-folder.ts';

export type OwnProduct = { door: PublicApi; pid: number | undefined; stop(): Promise<void> };

/** In one process unless told, on free ports. Rate limits are off unless a setting says otherwise. */
export async function startOwnProduct(env: Record<string, string> = {}, topology: PublicApi['topology'] = 'single'): Promise<OwnProduct> {
  const dataDir = tempFolder('own');
  // Says that the demo clinic has been made already, so that the figures begin at nothing.
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(path.join(dataDir, 'demo.json'), JSON.stringify({ email: '', password: '', done: true }));
  const product = await startProduct(topology, { ...env, DATA_DIR: dataDir });
  return {
    door: product.api,
    pid: product.child.pid,
    async stop() {
      await product.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
