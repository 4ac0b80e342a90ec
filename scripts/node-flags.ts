// Flags of Node for every process of the product. Node sizes its young generation by the machine: on a large one it takes 134 MB, which are rarely
// given back; with 16 MB a semi-space it takes 48 MB at most. The same flag is in package.json and deploy/Dockerfile (scripts/checks/node-flags.test.ts).
export const NODE_FLAGS = ['--max-semi-space-size=16'];
