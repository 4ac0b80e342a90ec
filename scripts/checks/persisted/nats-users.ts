// deploy/nats/users.conf: the permissions of each NATS user, derived from the durable consumers of the services.
import { STREAM } from '@clinic/lib/events/nats.ts';
import { NATS_USERS, passwordVariable } from '../../dev/embedded/nats-passwords.ts';
import { SERVICES } from '../../schemas.ts';
import type { Names } from './names.ts';

type Rights = { allow: string[]; deny?: string[]; read?: string[] };

const api = (request: string, rest = '') => `$JS.API.${request}.${STREAM}${rest}`;

/** The content of the file, for consumers as `currentNames` lists them: the durable name, and its filter subject. */
export function natsUsers(consumers: Names[string]): string {
  const durables = Object.entries(consumers).map(([name, [filter = '']]) => ({ name, filter }));
  const rightsOf = (user: string): Rights => {
    if (user === 'gateway') return gatewayRights(durables);
    if (user === 'ops') return { allow: [api('STREAM.DELETE')] };
    if (SERVICES.includes(user)) return serviceRights(user, durables);
    throw new Error(`no rights are defined for ${user}`);
  };
  return [
    '# Written by `node scripts/run.js checks/persisted-names`. The users of NATS and their least rights: see docs/events.md.',
    'include ./passwords.conf',
    'authorization {',
    '  users: [',
    ...NATS_USERS.flatMap((user) => lines(user, rightsOf(user))),
    '  ]',
    '}',
    '',
  ].join('\n');
}

type Durable = { name: string; filter: string };

/** A service may publish its own events, use its own consumers, and create the stream when it is missing or delete it when it is damaged. */
function serviceRights(service: string, durables: Durable[]): Rights {
  const own = durables.filter(({ name }) => name.startsWith(`${service}-`));
  return {
    allow: [
      `clinic.*.${service}.*`,
      ...['STREAM.INFO', 'STREAM.CREATE', 'STREAM.DELETE', 'STREAM.MSG.GET'].map((request) => api(request)),
      ...own.flatMap(({ name, filter }) => [
        api('CONSUMER.CREATE', `.${name}.${filter}`),
        api('CONSUMER.INFO', `.${name}`),
        api('CONSUMER.MSG.NEXT', `.${name}`),
        `$JS.ACK.${STREAM}.${name}.>`,
      ]),
    ],
  };
}

/** The gateway may read all events, and replay those of a clinic with consumers that have random names, but not with the services' consumers. */
function gatewayRights(durables: Durable[]): Rights {
  return {
    allow: [api('STREAM.INFO'), api('CONSUMER.CREATE', '.*.clinic.*.>'), ...['INFO', 'MSG.NEXT', 'DELETE'].map((request) => api(`CONSUMER.${request}`, '.*'))],
    deny: durables.flatMap(({ name }) => [api('CONSUMER.CREATE', `.${name}.>`), api('CONSUMER.MSG.NEXT', `.${name}`), api('CONSUMER.DELETE', `.${name}`)]),
    read: ['clinic.>'],
  };
}

const lines = (user: string, { allow, deny, read = [] }: Rights) => [
  `    { user: ${user}, password: $${passwordVariable(user)}, permissions: {`,
  '        publish: {',
  ...list('allow', allow),
  ...(deny ? list('deny', deny) : []),
  '        }',
  `        subscribe: { allow: [${[...read, `_INBOX.${user}.>`].map((subject) => `"${subject}"`).join(', ')}] }`,
  '    } }',
];

const list = (name: string, subjects: string[]) => [`          ${name}: [`, ...subjects.map((subject) => `            "${subject}"`), '          ]'];
