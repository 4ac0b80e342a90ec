// Jest runtime that leaves the loading of modules to Node: docs/decisions/test-runtime.md.
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import JestRuntime from 'jest-runtime';

const require = createRequire(import.meta.url);
const NAMES = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'jest', 'test'];
const URL_OF_GLOBALS = 'jest-globals:';
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

/** What @jest/globals exports to the test file that runs. */
export let current;
let files = 0;

/** The same for modules that stay loaded from file to file. */
export const forwarding = Object.fromEntries(
  NAMES.map((name) => [
    name,
    new Proxy(() => {}, {
      apply: (_target, self, given) => Reflect.apply(current[name], self, given),
      get: (_target, property) => current[name][property],
    }),
  ]),
);

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals'
      ? { url: URL_OF_GLOBALS + (/\?file=\d+$/.exec(context.parentURL)?.[0] ?? ''), format: 'module', shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) => (url.startsWith(URL_OF_GLOBALS) ? { format: 'module', shortCircuit: true, source: sourceOfGlobals(url) } : next(url, context)),
});

/** A test file gets the functions themselves, so that the stack of an error begins in the file. */
function sourceOfGlobals(url) {
  const exported = url === URL_OF_GLOBALS ? 'forwarding' : 'current';
  return `import { ${exported} } from ${JSON.stringify(import.meta.url)}; export const { ${NAMES.join(', ')} } = ${exported};`;
}

class NativeRuntime extends JestRuntime {
  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** Loads the test file again, and of the modules that it imports those that no file of this process has imported. */
  async unstable_importModule(file) {
    current = this.jestGlobals.cjsGlobals(file);
    files += 1;
    return import(`${pathToFileURL(file)}?file=${files}`);
  }

  /** Loads the test framework of Jest again, which holds the state of one test file; its dependencies stay loaded. */
  requireInternalModule(framework) {
    delete require.cache[framework];
    delete globalThis[EVENT_HANDLERS];
    return require(framework);
  }

  /** Jest's replacement belongs into a context of its own. */
  installGetBuiltinModule() {}
}

export { NativeRuntime as 'module.exports' };
