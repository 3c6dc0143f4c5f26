import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { z } from 'zod'

const root = join(import.meta.dirname, '..')
/** Packages that only some deployments install. */
const OPTIONAL = ['pg', 'pg-native', 'bufferutil', 'utf-8-validate']
const PACKAGE_FOLDER = /^.*\/node_modules\/(@[^/]+\/)?[^/]+/
const packageSchema = z.object({ name: z.string(), version: z.string(), license: z.string() })

/**
 * Writes src/, tools/ and the packages that they use to a few files of a folder, and the licenses of those packages
 * beside them. A process starts from them sooner than from 1,400 files (decision 0041). Lines stay lines, so that a
 * stack says where it happened.
 */
export async function bundle(folder: string): Promise<void> {
  // Each worker thread starts from a file of its own, which it looks for beside the code that starts it.
  const entries = ['src/cli/main.ts', ...globSync('src/**/*-worker.ts', { cwd: root })]
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((path) => [basename(path, '.ts'), join(root, path)])),
    platform: 'node',
    external: OPTIONAL,
    plugins: [parsedJson, asciiAlone, undiciForHttp1],
    checks: { preferBuiltinFeature: false },
  })
  const { output } = await build.write({
    dir: folder,
    // The launcher loads scripts with their compiled code, which Node does not offer for modules (decision 0045).
    format: 'cjs',
    // Node offers `import` in a script only as an experiment.
    dynamicImportInCjs: false,
    comments: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  })
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  writeFileSync(join(folder, 'licenses.txt'), describeLicenses(modules))
}

/** V8 reads JSON sooner by `JSON.parse` than as code. */
const parsedJson: Plugin = {
  name: 'parsed-json',
  load(id) {
    if (!id.endsWith('.json')) return null
    const text = JSON.stringify(JSON.parse(readFileSync(id, 'utf8')))
    return { code: `export default JSON.parse(${JSON.stringify(text)})`, moduleType: 'js' }
  },
}

/**
 * V8 holds a text of other characters in twice the memory, and the text of code for as long as the process lives. Such
 * characters are in strings alone, where an escape means the same.
 */
const asciiAlone: Plugin = {
  name: 'ascii-alone',
  generateBundle(_options, files) {
    for (const file of Object.values(files))
      if (file.type === 'chunk')
        file.code = file.code.replace(
          /[\u0080-\uffff]/g,
          (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
  },
}

const UNDICI = join(root, 'node_modules/undici')
const UNDICI_FOR_HTTP1 = join(UNDICI, 'for-http1.js')

/**
 * The gateway calls providers over HTTP/1.1 (`src/upstream`). All of undici would load HTTP/2 of Node and a second
 * `fetch` at each start, which take a tenth of the time of loading the bundle.
 */
const undiciForHttp1: Plugin = {
  name: 'undici-for-http1',
  resolveId: (id) => (id === 'undici' ? UNDICI_FOR_HTTP1 : null),
  load(id) {
    if (id === UNDICI_FOR_HTTP1)
      return [
        exportUndici('Client', 'lib/dispatcher/client.js'),
        exportUndici('Pool', 'lib/dispatcher/pool.js'),
        exportUndici('buildConnector', 'lib/core/connect.js'),
      ].join('\n')
    if (id === join(UNDICI, 'lib/dispatcher/client-h2.js'))
      return `module.exports = () => { throw new TypeError('no connection is opened with HTTP/2') }`
    return null
  },
}

/** The path is a string of JSON, since a folder's name can contain quotes and, on Windows, backslashes. */
function exportUndici(name: string, file: string): string {
  return `export { default as ${name} } from ${JSON.stringify(join(UNDICI, file))}`
}

/** The terms of most packages ask that their text goes with the code. */
function describeLicenses(modules: readonly string[]): string {
  const folders = modules.flatMap((path) => PACKAGE_FOLDER.exec(path)?.[0] ?? [])
  const texts = [...new Set(folders)].sort().map((folder) => {
    const facts = packageSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
    const text = globSync('{LICENSE,LICENCE,license}*', { cwd: folder }).map((name) =>
      readFileSync(join(folder, name), 'utf8').trim(),
    )
    return `${facts.name} ${facts.version} (${facts.license})\n\n${text.join('\n\n')}\n`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
