// Prints addresses and sign-ins when the product runs. Programs wait for the last line.

type Summary = {
  url: string;
  adminUrl: string;
  dataDir: string;
  demo: { email: string; password: string } | undefined;
  /** Of the simulated chat provider, when there is one. */
  phoneUrl: string | undefined;
  /** Of the simulated tax authority, when there is one. */
  authorityUrl: string | undefined;
  operatorKeys: string | undefined;
  /** From where the product can be reached, when that is a surprise. */
  hint: string | undefined;
  say: (line: string) => void;
};

export function printSummary({ url, adminUrl, dataDir, demo, phoneUrl, authorityUrl, operatorKeys, hint, say }: Summary): void {
  say('');
  say(`  API           ${url}/api`);
  say(`  Reference     ${url}/docs`);
  if (operatorKeys) say(`  Desk          ${url}/desk (an example of the SDK)`); // in development
  say(`  Health        ${adminUrl}/readyz`);
  if (demo) say(`  Demo sign-in  ${demo.email} ${demo.password}`);
  if (phoneUrl) say(`  Phone         ${phoneUrl} (a patient's, to chat with the clinic)`);
  if (authorityUrl) say(`  Tax authority ${authorityUrl} (simulated: its documents, and how it fails)`);
  for (const entry of operatorKeys?.split(',') ?? [])
    say(`  Operator key  ${entry.slice(entry.indexOf(':') + 1)} (${entry.slice(0, entry.indexOf(':'))}; send it as X-Admin-Key)`);
  say(`  Data          ${dataDir}`);
  if (hint) say(`  Reachable     ${hint}`);
  say('');
  say(`ready ${url}`);
}
