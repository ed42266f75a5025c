// node reports.mjs check REPORT.html...: are the data of these reports of the types of src/data/types.ts? Exit code 1 where not.
// node reports.mjs keep REPORT.html...: what has no key that was not seen before is left out of their lists, and the rest written to
// test/real_reports.json, to which test/real_reports.ts holds the types.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { data_of } from './dev.mjs';

const is_object = (value) => value !== null && typeof value === 'object';
// Paths of all that is in it.
const paths = (value, at) =>
  is_object(value) ? Object.entries(value).flatMap(([key, inner]) => paths(inner, `${at}.${Array.isArray(value) ? '' : key}`)) : [at];
function only_new(list) {
  const seen = new Set();
  return list.filter((entry) => paths(entry, '').filter((path) => !seen.has(path) && seen.add(path)).length > 0);
}
function cut(value) {
  if (Array.isArray(value)) return (is_object(value[0]) && !Array.isArray(value[0]) ? only_new(value) : value.slice(0, 2)).map(cut);
  if (typeof value === 'string') return value.replace(/(^| )\/\S*\//g, '$1'); // where it lay
  if (!is_object(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, key === 'environment' ? {} : cut(inner)]));
}
// One report for each entry of a list: tsc takes what stands in one list to have the same keys, names of calls and terms too.
const apart = (list, key) => list.flatMap((one) => (one[key]?.length > 1 ? one[key].map((entry) => ({ ...one, [key]: [entry] })) : [one]));

const [command, ...files] = process.argv.slice(2);
const reports = apart(apart(await Promise.all(files.map(data_of)), 'studies'), 'machines');
const write = (file, list) =>
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(list.map((one, i) => [`report ${i + 1}`, one])))}\n`);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

if (command === 'keep') {
  const studies = reports.flatMap((report) => report.studies),
    machines = only_new(studies.map((study) => study.machine));
  for (const study of studies) if (!machines.includes(study.machine)) delete study.machine;
  write(here('test/real_reports.json'), reports.map(cut));
} else if (command === 'check' && reports.length > 0) {
  const made = mkdtempSync(join(tmpdir(), 'whatwire-types-'));
  try {
    write(join(made, 'reports.json'), reports);
    const source = `import type { Report } from '${here('src/data/types.ts')}';\nimport reports from './reports.json';\n`;
    writeFileSync(join(made, 'check.ts'), `${source}export const typed: Record<string, Report> = reports;\n`);
    writeFileSync(
      join(made, 'tsconfig.json'),
      JSON.stringify({ extends: here('tsconfig.json'), compilerOptions: { types: [] }, include: ['*.ts'] }),
    );
    process.exitCode = spawnSync(process.execPath, [here('node_modules/typescript/bin/tsc'), '-p', made], { stdio: 'inherit' }).status ?? 1;
  } finally {
    rmSync(made, { recursive: true });
  }
} else {
  console.error('usage: node reports.mjs check|keep REPORT.html...');
  process.exitCode = 2;
}
