// Prints how the source is laid out: sizes, crumbs, long functions, crowded folders, what formats share, and
// retired words. The figures of a moment, to be held against those of another commit. `--tools` measures the
// fault tools instead.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { findRetiredNames, isExcused } from '../test/support/retired-names.ts'
import {
  readSourceFiles,
  readToolFiles,
  type SourceFile,
  sharedRooms,
  sourceRoot,
} from '../test/support/source-files.ts'
import {
  countLines,
  findFolderCycles,
  findFunctions,
  MAX_FUNCTION_LINES,
} from '../test/support/source-structure.ts'

const SMALL_LINES = 40
const LONG_FUNCTION_LINES = 40
const MAX_FILES = 32
/** Formats that whole conversations are carried in: each does the same jobs. */
const formats = ['chat', 'messages', 'responses', 'gemini', 'cohere', 'converse']
/** The formats that callers speak. */
const callerFormats = ['chat', 'messages', 'responses', 'gemini']

const files = process.argv.includes('--tools') ? readToolFiles() : readSourceFiles()
const lengths = files.map(({ text }) => countLines(text)).sort((a, b) => a - b)
const functions = files.flatMap(findFunctions).sort((a, b) => b.lines - a.lines)
const crumbs = findCrumbs()
const folders = countByFolder()
const crossing = files.filter(importsAnotherFormat)

print('files', `${files.length}`)
print('lines: median, p90, most', `${at(lengths, 0.5)}, ${at(lengths, 0.9)}, ${at(lengths, 1)}`)
const unexplained = crumbs.filter((path) => !isVendor(path) && !hasSharedName(path) && !isGenerated(path))
print(
  'crumbs (one importer, under 40 lines, no test)',
  `${unexplained.length} of ${crumbs.length}; the others: ${crumbs.filter(isVendor).length} declare a provider, ${crumbs.filter(hasSharedName).length} carry a name that all wire formats of a kind share, ${crumbs.filter(isGenerated).length} is written by a script`,
  unexplained,
)
print(
  `functions over ${LONG_FUNCTION_LINES} lines`,
  `${functions.filter(({ lines }) => lines > LONG_FUNCTION_LINES).length} of ${functions.length}, over ${MAX_FUNCTION_LINES}: ${functions.filter(({ lines }) => lines > MAX_FUNCTION_LINES).length}`,
  functions.filter(({ lines }) => lines > LONG_FUNCTION_LINES).map(({ name, lines }) => `${name} ${lines}`),
)
const crowded = folders.filter(({ count }) => count > MAX_FILES)
print(
  `folders of more than ${MAX_FILES} files`,
  `${crowded.length}`,
  crowded.map(({ folder, count }) => `${folder} ${count}`),
)
print('file names that all six formats share', `${namesOfAll().length}`, namesOfAll())
print(
  'files that import another wire format',
  `${crossing.length}`,
  crossing.map(({ path }) => path),
)
const cycles = findFolderCycles(files)
print('cycles among the folders below one folder', `${cycles.length}`, cycles)
const retired = findRetiredNames(files).filter((each) => !isExcused(each))
print(
  'retired words in names',
  `${retired.length}`,
  countEach(retired.map(({ path, name }) => `${path} ${name}`)),
)

function print(what: string, figure: string, details: readonly string[] = []): void {
  process.stdout.write(`${what}: ${figure}\n`)
  if (!process.argv.includes('--details')) return
  for (const detail of details) process.stdout.write(`  ${detail}\n`)
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function findCrumbs(): readonly string[] {
  const importers = new Map<string, number>()
  for (const { imports } of files) {
    for (const target of new Set(imports.map((one) => one.target))) {
      if (target !== undefined) importers.set(target, (importers.get(target) ?? 0) + 1)
    }
  }
  return files
    .filter(({ path, text }) => {
      const hasTest = existsSync(resolve(sourceRoot, path.replace(/\.tsx?$/, '.test.ts')))
      return importers.get(path) === 1 && countLines(text) < SMALL_LINES && !hasTest
    })
    .map(({ path }) => path)
}

function countByFolder(): readonly { folder: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts].map(([folder, count]) => ({ folder, count })).sort((a, b) => b.count - a.count)
}

/**
 * The names of all formats. What chat has in common with OpenAI's other formats is at home in a shared room, under the
 * same names.
 */
function namesOfAll(): readonly string[] {
  return namesSharedBy(formats)
}

function namesSharedBy(sharing: readonly string[]): readonly string[] {
  const names = sharing.map((format) => {
    const rooms = format === 'chat' ? [format, 'openai'] : [format]
    const prefixes = rooms.map((room) => `wire/${room}/`)
    return new Set(
      files.flatMap(({ path }) =>
        prefixes.filter((prefix) => path.startsWith(prefix)).map((prefix) => path.slice(prefix.length)),
      ),
    )
  })
  const [first = new Set<string>(), ...others] = names
  return [...first].filter((name) => others.every((set) => set.has(name)))
}

/**
 * A reader who knows one format finds the same job in another by its name: whether every format that whole
 * conversations are carried in, or every one that callers speak, has such a file.
 */
function hasSharedName(path: string): boolean {
  const [room, , ...name] = path.split('/')
  const shared = new Set([...namesOfAll(), ...namesSharedBy(callerFormats)])
  return room === 'wire' && shared.has(name.join('/'))
}

function formatOf(path: string): string | undefined {
  const [room, format, file] = path.split('/')
  return room === 'wire' && file !== undefined && !sharedRooms.includes(format ?? '') ? format : undefined
}

/** One provider, one file: docs/adding-a-provider.md. */
function isVendor(path: string): boolean {
  return path.startsWith('providers/vendors/')
}

/** Whether the file is written from the source beside it; test/string-end.test.ts holds one against the other. */
function isGenerated(path: string): boolean {
  return path === 'kit/bytes/string-end-module.ts'
}

function importsAnotherFormat({ path, imports }: SourceFile): boolean {
  const own = formatOf(path)
  return (
    own !== undefined &&
    imports.some(
      ({ target }) => target !== undefined && formatOf(target) !== undefined && formatOf(target) !== own,
    )
  )
}

function countEach(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => `${name} ${count}`)
}
