// Flags of Node for every process of the product. The same are in package.json and deploy/Dockerfile (scripts/checks/node-flags.test.ts).
export const NODE_FLAGS = [
  // Node sizes its young generation by the machine: on a large one it takes 134 MB, which are rarely given back; with 16 MB a semi-space, 48 MB at most.
  '--max-semi-space-size=16',
  // Nor less than 4: an idle process would collect garbage for each megabyte, which is a sixth of all that Node does then.
  '--min-semi-space-size=4',
  // Garbage is collected when the old generation has grown by half since the last time. Node would wait until it is two to three times as large, and
  // memory that it took is not given back.
  '--heap-growing-percent=50',
];
