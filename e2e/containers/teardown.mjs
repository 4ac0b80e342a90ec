export { teardown as default } from './installation.ts';
