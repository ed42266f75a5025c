// node ask_exported.mjs PAGE QUESTIONS ANSWERS: what an exported page answers, without a browser. QUESTIONS: JSON, a list of [path, query];
// ANSWERS: a directory, which gets N.body for each and answers.json: [{"status", "type", "ms"}], with "open_ms" and "bytes" of memory.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [page_file, questions_file, answers] = process.argv.slice(2);
const page = readFileSync(page_file, 'utf8');
const text_of = (id) => {
  const found = page.match(new RegExp(`<script type="[^"]*" id="${id}">([^<]*)</script>`));
  if (!found) throw new Error(`the page holds no ${id}`);
  return found[1];
};

const made = mkdtempSync(join(tmpdir(), 'whatwire-engine-'));
try {
  await build({
    absWorkingDir: dirname(fileURLToPath(import.meta.url)),
    entryPoints: ['src/view/source/engine.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    outdir: made,
  });
  const { Engine, of_base64, unzipped } = await import(pathToFileURL(join(made, 'engine.mjs')).href);
  const { name, model } = JSON.parse(text_of('held'));
  const module = await WebAssembly.compile(await unzipped(of_base64(text_of('engine'))));
  const packed = await unzipped(of_base64(text_of('packed')));
  const began = performance.now();
  const engine = await Engine.start(module, { name, model, packed });
  const open_ms = performance.now() - began;
  const told = JSON.parse(readFileSync(questions_file, 'utf8')).map(([path, query], number) => {
    const from = performance.now();
    const { status, type, body } = engine.ask(path, query);
    writeFileSync(join(answers, `${number}.body`), new Uint8Array(body));
    return { status, type, ms: performance.now() - from };
  });
  writeFileSync(join(answers, 'answers.json'), JSON.stringify({ packed: packed.length, open_ms, bytes: engine.bytes(), answers: told }));
} finally {
  rmSync(made, { recursive: true });
}
