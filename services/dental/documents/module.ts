import type { Module } from '@clinic/lib/runtime/module.ts';
import type { App } from '../app.ts';

export const documents: Module<App> = {
  personal: [{ table: 'counters' }],
};
