// Jest loads this natively, so that the TypeScript beyond it needs no transform.
export { setup as default } from './shared.ts';
