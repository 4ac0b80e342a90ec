import type { Module } from '@clinic/lib/runtime/module.ts';
import type { App } from '../app.ts';

export const papers: Module<App> = {
  personal: [{ table: 'counters' }],
};
