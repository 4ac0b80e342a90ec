// What the tests of a run share: a PostgreSQL, and a product in each topology. Only what the selected tests need is started, the products at the same
// time and, if there is a PostgreSQL, with a copy of its migrated databases.
import { type Product, startProduct } from '../product.ts';
import { sweepTempFolders } from '../temp-folder.ts';
import * as database from './database.ts';
import { selectedProjects } from './selected-projects.ts';

const TOPOLOGIES = ['single', 'distributed'] as const;
const products: Product[] = [];

export async function setup(): Promise<void> {
  await sweepTempFolders();
  if (selectedProjects.has('services')) await database.setup();
  const started = await Promise.allSettled(TOPOLOGIES.filter((topology) => selectedProjects.has(`e2e-${topology}`)).map(share));
  for (const one of started) if (one.status === 'rejected') throw one.reason;
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
