// Notices by mail.
import type { Module } from '@clinic/lib/runtime/module.ts';
import type { App } from '../app.ts';
import { mailNotice } from './notices.ts';

export const notices: Module<App> = { jobs: (app) => [mailNotice(app)] };
