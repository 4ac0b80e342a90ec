// `npm run check-kubernetes`: whether deploy/k8s builds, is what the API understands, and fits the code and the database.

import { helpOn } from '../help.ts';
import { PROJECT } from '../schemas.ts';
import { connectionFaults } from './kubernetes-capacity.ts';
import { buildOverlay, COMPONENTS, OVERLAYS, readObjects } from './kubernetes-objects.ts';
import { programs } from './kubernetes-programs.ts';
import { fieldsAgainstTypes, valuesAgainstSchema } from './kubernetes-schema.ts';
import { budgetFaults, callFaults, denialFaults, entryFaults, hardeningFaults, scalingFaults, settingFaults } from './kubernetes-wiring.ts';

helpOn(
  'Usage: npm run check-kubernetes\n\nBuilds each overlay of deploy/k8s with kubectl or kustomize, holds every object against the schemas, and compares with the code: settings, calls, connections, rights. Where neither is installed, the objects are checked as they stand in the files and the rest is skipped. One line a fault.',
);

const known = await programs();
const faults: string[] = [];
const variants = OVERLAYS.flatMap((overlay) => [undefined, ...COMPONENTS].map((component) => ({ overlay, component })));
for (const { overlay, component } of variants) {
  const objects = buildOverlay(PROJECT, overlay, component);
  if (!objects) {
    console.log(`${overlay}: skipped, since neither kubectl nor kustomize is here to build it`);
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
