// The tables of routes in docs/api.md.

import type { Area, Route } from '../../http/route.ts';
import { describeRoute, loadComments } from '../comments.ts';
import { CUSTOM_ROUTES, CUSTOM_TAGS } from '../custom-routes.ts';

const START = '<!-- routes: written by node scripts/run.js write-pages -->';
const END = '<!-- end of routes -->';

/** The page with up-to-date tables and otherwise unchanged text. */
export function withRoutes(page: string, areas: Area[]): string {
  const [before, rest = ''] = page.split(START);
  const [, after = ''] = rest.split(END);
  const comments = loadComments();
  return `${before}${START}\n${[...areas.map((area) => section(area, comments)), ...CUSTOM_TAGS.map(customSection)].join('')}\n${END}${after}`;
}

const table = (tag: string, rows: string[]) => `\n### ${tag}\n\n| Method | Path | Who may call | Summary |\n|---|---|---|---|\n${rows.join('\n')}\n`;

const section = ({ tag, routes }: Area, comments: Map<string, string>) =>
  table(
    tag,
    routes.map((route) => row(route, comments)),
  );

function customSection({ name }: (typeof CUSTOM_TAGS)[number]): string {
  const rows = CUSTOM_ROUTES.filter(({ tag }) => tag === name);
  return table(
    name,
    rows.map(({ method, path, who, summary }) => `| ${method.toUpperCase()} | \`${path}\` | ${who} | ${summary} |`),
  );
}

function row(route: Route, comments: Map<string, string>): string {
  const { method, path, access, scope, feature, dental } = route;
  const who = [WHO[access], scope && `keys with \`${scope}\``, feature && `plan with ${feature}`, dental && 'dental clinics'].filter(Boolean).join(', ');
  return `| ${method.toUpperCase()} | \`${path}\` | ${who} | ${describeRoute(route, comments).summary} |`;
}

const WHO: Record<Route['access'], string> = { public: 'anyone', user: 'any user', admin: 'admin', superadmin: 'operator key' };
