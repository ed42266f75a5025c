// node test.mjs: bundles each test of test/ and runs them with node's own runner.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url)),
  made = mkdtempSync(join(tmpdir(), 'whatwire-web-'));
try {
  const tests = readdirSync(join(here, 'test')).filter((name) => name.endsWith('.test.ts'));
  if (tests.length === 0) throw new Error('no test was found in test/');
  await build({
    absWorkingDir: here,
    entryPoints: tests.map((name) => `test/${name}`),
    bundle: true,
    platform: 'node',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    outdir: made,
    logLevel: 'warning',
  });
  const files = tests.map((name) => join(made, name.replace(/ts$/, 'mjs')));
  process.exitCode = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(made, { recursive: true });
}
