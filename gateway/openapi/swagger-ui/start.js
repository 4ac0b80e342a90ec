// Renders the API reference. Nothing is loaded from another origin. Tokens are stored in session storage, which ends with the tab.
const STORED = 'authorized';
const find = (id) => document.getElementById(id);

/** Adds a heading before the first visible tag of each group. */
const withGroup =
  (OperationTag, { React, specSelectors }) =>
  (props) => {
    const { tag } = props;
    const group = specSelectors
      .specJson()
      .get('x-tagGroups')
      ?.find((one) => one.get('tags').includes(tag));
    const first = specSelectors
      .taggedOperations()
      .keySeq()
      .find((name) => group?.get('tags').includes(name));
    const heading = first === tag && React.createElement('h2', { className: 'tag-group' }, group.get('name'));
    return React.createElement(React.Fragment, null, heading, React.createElement(OperationTag, props));
  };

/** The path of an operation is text: it is shown in a button, which may not contain a link. Opening the operation puts its link into the address bar. */
const linkOnlyTags =
  (DeepLink, { React }) =>
  (props) =>
    React.createElement(DeepLink, { ...props, enabled: props.enabled && !props.path.includes('/') });

/** Finds operations by their tag, title, path and method. */
function search(tags, phrase) {
  const words = phrase.toLowerCase().split(/\s+/);
  const matches = (tag, operation) => {
    const text = `${tag} ${operation.getIn(['operation', 'summary'])} ${operation.get('path')} ${operation.get('method')}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return tags
    .map((content, tag) => content.update('operations', (operations) => operations.filter((operation) => matches(tag, operation))))
    .filter((content) => content.get('operations').size > 0);
}

/** Opens the tags that a search finds. Without a search the filter is `true`, which has no length. The wrapped selector needs no state argument. */
const openFound =
  (isShown, { layoutSelectors }) =>
  (_state, thing, byDefault) =>
    (thing[0] === 'operations-tag' && layoutSelectors.currentFilter().length > 0) || isShown(thing, byDefault);

/** The parts of the page outside its main part. */
const REGIONS = { '.information-container': 'About this API', '.scheme-container': 'Server and authorization', '.filter': 'Search' };

/** Names the controls and regions to which Swagger UI gives no name, and lets the keyboard scroll the examples. */
function completeControls() {
  for (const [selector, name] of Object.entries(REGIONS)) {
    const region = document.querySelector(`#reference ${selector}:not([role])`);
    region?.setAttribute('role', 'region');
    region?.setAttribute('aria-label', name);
  }
  for (const select of document.querySelectorAll('#reference select:not([aria-label])'))
    select.setAttribute('aria-label', select.closest('tr')?.querySelector('.parameter__name')?.textContent ?? 'Example');
  for (const table of document.querySelectorAll('#reference table[role="region"]:not([aria-label])'))
    table.setAttribute('aria-label', `Responses: ${table.closest('.opblock')?.querySelector('.opblock-summary-description')?.textContent}`);
  for (const button of document.querySelectorAll('#reference .close-modal:not([aria-label])')) button.setAttribute('aria-label', 'Close');
  for (const example of document.querySelectorAll('#reference pre:not([tabindex])')) example.tabIndex = 0;
}
new MutationObserver(completeControls).observe(find('reference'), { childList: true, subtree: true });

const ui = globalThis.SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  filter: true,
  validatorUrl: null,
  syntaxHighlight: { theme: 'tomorrow-night' }, // with sufficient contrast
  plugins: [
    {
      fn: { opsFilter: search },
      wrapComponents: { OperationTag: withGroup, DeepLink: linkOnlyTags },
      statePlugins: { layout: { wrapSelectors: { isShown: openFound } } },
    },
  ],
  onComplete() {
    const stored = sessionStorage.getItem(STORED);
    if (stored) ui.authActions.authorize(JSON.parse(stored));
    const search = document.querySelector('.operation-filter-input');
    search.placeholder = 'Search by title, path or tag';
    search.setAttribute('aria-label', search.placeholder);
    document.querySelector('#servers').setAttribute('aria-label', 'Server');
    ui.getStore().subscribe(() => sessionStorage.setItem(STORED, JSON.stringify(ui.authSelectors.authorized())));
    find('sign-in').addEventListener('submit', signIn);
    // A search may hide the operations of the quick start.
    for (const to of document.querySelectorAll('#quick-start a[href^="#"]')) to.addEventListener('click', () => ui.layoutActions.updateFilter(''));
    addEventListener('hashchange', () => ui.layoutActions.parseDeepLinkHash(decodeURIComponent(location.hash)));
  },
});

// Prefilled only on this machine, where the demo clinic has the password given in the README.
if (['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)) {
  find('email').value = 'admin@sonrisa.example';
  find('password').value = 'Sonrisa-2026';
}

async function signIn(event) {
  event.preventDefault();
  const body = JSON.stringify({ email: find('email').value, password: find('password').value });
  try {
    const response = await fetch('/api/auth/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const answer = await response.json();
    if (response.ok) ui.preauthorizeApiKey('bearer', answer.access_token);
    find('state').textContent = response.ok ? `Signed in as ${answer.user.full_name}.` : answer.error;
  } catch {
    find('state').textContent = 'The service cannot be reached.';
  }
}
