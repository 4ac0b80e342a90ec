// Node flags of every process of the product. package.json and deploy/Dockerfile have the same flags (scripts/checks/node-flags.test.ts).
export const NODE_FLAGS = [
  // By default, Node sizes the young generation by the machine: on a large one it takes 134 MB and rarely releases them. With semi-spaces of at
  // most 16 MB it takes 48 MB.
  '--max-semi-space-size=16',
  // Smaller semi-spaces would make an idle process collect garbage for each megabyte, a sixth of all its work.
  '--min-semi-space-size=4',
];
