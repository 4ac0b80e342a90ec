// `npm run check-kubernetes`: checks that deploy/k8s builds, is valid for the Kubernetes API, and matches the code and the database.

import { parseOptions } from '../help.ts';
import { PROJECT } from '../schemas.ts';
import { connectionFaults } from './kubernetes-capacity.ts';
import { buildOverlay, COMPONENTS, OVERLAYS, readObjects } from './kubernetes-objects.ts';
import { programs } from './kubernetes-programs.ts';
import { fieldsAgainstTypes, valuesAgainstSchema } from './kubernetes-schema.ts';
import { budgetFaults, callFaults, denialFaults, entryFaults, hardeningFaults, scalingFaults, settingFaults } from './kubernetes-wiring.ts';

const USAGE = `Usage: npm run check-kubernetes

Builds each overlay of deploy/k8s with kubectl or kustomize, validates every object against its schema, and compares settings, calls,
connections and rights with the code. Where neither program is installed, the objects are only validated as they are in the files. Prints one
line per fault, and ends with 1 when there are any.`;

parseOptions({ options: {} }, USAGE);

const known = await programs();
const faults: string[] = [];
const variants = OVERLAYS.flatMap((overlay) => [undefined, ...COMPONENTS].map((component) => ({ overlay, component })));
for (const { overlay, component } of variants) {
  const objects = buildOverlay(PROJECT, overlay, component);
  if (!objects) {
    console.log(`${overlay}: skipped, because neither kubectl nor kustomize is installed`);
    continue;
  }
  faults.push(
    ...(await valuesAgainstSchema(objects)),
    ...fieldsAgainstTypes(PROJECT, objects),
    ...settingFaults(objects, known),
    ...callFaults(objects, known),
    ...hardeningFaults(objects),
    ...budgetFaults(objects),
    ...denialFaults(objects),
    ...entryFaults(objects),
    ...scalingFaults(objects),
    ...connectionFaults(overlay, objects),
  );
  console.log(`${overlay}${component ? ` with ${component}` : ''}: ${objects.length} objects`);
}
const files = readObjects(PROJECT);
faults.push(...(await valuesAgainstSchema(files)));
console.log(`${files.length} objects in files`);
for (const fault of new Set(faults)) console.error(fault);
if (faults.length > 0) process.exit(1);
