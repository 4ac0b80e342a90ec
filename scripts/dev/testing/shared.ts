// What the tests of a run share: a PostgreSQL, and a product in each topology. Only what the selected tests need is started, the products with a copy of
// the migrated PostgreSQL, if there is one. They start in turn, since the second loads modules that the first has compiled.
import { type Product, startProduct } from '../product.ts';
import { sweepTempFolders } from '../temp-folder.ts';
import * as database from './database.ts';
import { selectedProjects } from './selected-projects.ts';

const TOPOLOGIES = ['single', 'distributed'] as const;
const products: Product[] = [];

export async function setup(): Promise<void> {
  await sweepTempFolders();
  if (selectedProjects.has('services')) await database.setup();
  for (const topology of TOPOLOGIES) if (selectedProjects.has(`e2e-${topology}`)) await share(topology);
}

/** Starts a product whose address the tests of its topology read from the environment. */
async function share(topology: (typeof TOPOLOGIES)[number]): Promise<void> {
  const product = await startProduct(topology);
  products.push(product);
  process.env[`CLINIC_PUBLIC_API_${topology.toUpperCase()}`] = JSON.stringify(product.api);
}

export async function teardown(): Promise<void> {
  await Promise.all([database.teardown(), ...products.map((product) => product.stop())]);
}
