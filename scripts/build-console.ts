// Builds console/ to dist/console/: the page, its scripts and styles under names that hold a digest of them, each also
// compressed, and the list by which the gateway serves them. Another build is replaced as a whole at the end. A folder
// that is given is built into instead.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, relative, resolve, sep } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const target = resolve(process.argv[2] ?? join(root, 'dist', 'console'))
const made = `${target}.${process.pid}`

/** The most that the first load of the console may weigh, compressed by gzip: the page, its script and its styles. */
const MAX_FIRST_LOAD_BYTES = 350 * 1024

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

await build({ root: join(root, 'console'), logLevel: 'warn', build: { outDir: made, emptyOutDir: true } })

const files: Record<string, { type: string; codings: string[] }> = {}
for (const path of listFiles(made)) {
  const type = types[extname(path)]
  if (type === undefined) continue
  files[path] = { type, codings: compress(join(made, path)) }
}
writeFileSync(join(made, 'files.json'), JSON.stringify({ page: 'index.html', files }))
const firstLoad = weighFirstLoad()
if (firstLoad > MAX_FIRST_LOAD_BYTES) {
  rmSync(made, { recursive: true })
  process.stderr.write(`The first load is ${firstLoad} bytes; at most ${MAX_FIRST_LOAD_BYTES} are allowed.\n`)
  process.exit(1)
}
rmSync(target, { recursive: true, force: true })
mkdirSync(dirname(target), { recursive: true })
renameSync(made, target)
process.stdout.write(`${relative(root, target)}: first load ${(firstLoad / 1024).toFixed(1)} KB (gzip)\n`)

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
}

/** A coding is worth its name only where it makes the file smaller. */
function compress(path: string): string[] {
  const bytes = readFileSync(path)
  const coded = [
    [
      'br',
      '.br',
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    ],
    ['gzip', '.gz', gzipSync(bytes, { level: 9 })],
  ] as const
  return coded.flatMap(([name, ending, smaller]) => {
    if (smaller.length >= bytes.length) return []
    writeFileSync(path + ending, smaller)
    return [name]
  })
}

/** Weighs what a browser loads before the first page shows: all that the page itself names. */
function weighFirstLoad(): number {
  const page = readFileSync(join(made, 'index.html'), 'utf8')
  const named = [...page.matchAll(/(?:src|href)="(?:\.\/)?(assets\/[^"]+)"/g)].map(([, path = '']) => path)
  const sizes = [...new Set(named)].map((path) => {
    const coded = files[path]?.codings.includes('gzip') === true ? '.gz' : ''
    return statSync(join(made, path + coded)).size
  })
  return sizes.reduce((sum, size) => sum + size, gzipSync(page).length)
}
