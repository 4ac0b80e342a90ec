// What the tests of a run share: a PostgreSQL, and a product in each topology. Only what the selected tests need is started, the products with a copy of
// the migrated PostgreSQL, if there is one.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { replaceFile } from '../../replace-file.ts';
import { type Product, startProduct } from '../product.ts';
import { sweepTempFolders, tempFolder } from '../temp-folder.ts';
import * as database from './database.ts';
import { selectedProjects } from './selected-projects.ts';

const TOPOLOGIES = ['single', 'distributed'] as const;
const products: Product[] = [];
const folder = tempFolder('products');
let started: Promise<void> | undefined;

export async function setup(): Promise<void> {
  await sweepTempFolders();
  if (selectedProjects.has('services')) await database.setup();
  process.env.CLINIC_SHARED_PRODUCTS = folder;
  started = startProducts();
}

/**
 * Starts the products while the first tests run, and writes a file about each, for which its tests wait (native/environment.js). They start in turn,
 * since the second loads modules that the first has compiled.
 */
async function startProducts(): Promise<void> {
  for (const topology of TOPOLOGIES.filter((name) => selectedProjects.has(`e2e-${name}`))) {
    const outcome = await startProduct(topology).then(
      (product) => {
        products.push(product);
        return { api: product.api };
      },
      (error) => ({ fault: String(error) }),
    );
    replaceFile(path.join(folder, `${topology}.json`), JSON.stringify(outcome));
  }
}

export async function teardown(): Promise<void> {
  await started;
  await Promise.all([database.teardown(), ...products.map((product) => product.stop())]);
  rmSync(folder, { recursive: true, force: true });
}
