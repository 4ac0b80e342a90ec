// Prints addresses and sign-ins when the product is running. Programs wait for the last line, which begins with `ready`.

type Summary = {
  url: string;
  adminUrl: string;
  dataDir: string;
  demo: { email: string; password: string } | undefined;
  /** The page of the simulated chat provider, if it is used. */
  phoneUrl: string | undefined;
  /** The page of the simulated tax authority, if it is used. */
  authorityUrl: string | undefined;
  operatorKeys: string | undefined;
  /** From where the product can be reached, when that may be unexpected. */
  hint: string | undefined;
  print: (line: string) => void;
};

export function printSummary({ url, adminUrl, dataDir, demo, phoneUrl, authorityUrl, operatorKeys, hint, print }: Summary): void {
  print('');
  print(`  API           ${url}/api`);
  print(`  Reference     ${url}/docs`);
  if (operatorKeys) print(`  Desk          ${url}/desk (an example of the SDK)`); // in development
  print(`  Health        ${adminUrl}/readyz`);
  if (demo) print(`  Demo sign-in  ${demo.email} ${demo.password}`);
  if (phoneUrl) print(`  Phone         ${phoneUrl} (a patient's, to chat with the clinic)`);
  if (authorityUrl) print(`  Tax authority ${authorityUrl} (simulated: shows its documents and simulates failures)`);
  for (const entry of operatorKeys?.split(',') ?? [])
    print(`  Operator key  ${entry.slice(entry.indexOf(':') + 1)} (${entry.slice(0, entry.indexOf(':'))}; send it as X-Admin-Key)`);
  print(`  Data          ${dataDir}`);
  if (hint) print(`  Reachable     ${hint}`);
  print('');
  print(`ready ${url}`);
}
