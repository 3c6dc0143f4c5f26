import { readdirSync, readFileSync } from 'node:fs'
import { dirname, posix, relative, resolve, sep } from 'node:path'

/** A source file of the product, as the rules of the house see it. */
export interface SourceFile {
  /**
   * The path from `src/` on, with slashes; that of a fault tool begins with `../tools/chaos/`, that of the console with
   * `../console/src/`.
   */
  readonly path: string
  /** The folder below `src/`; empty for files directly in it, `tools` for a fault tool, `console` for the console. */
  readonly folder: string
  readonly text: string
  /** The text without comments. */
  readonly code: string
  readonly imports: readonly Import[]
}

export interface Import {
  readonly specifier: string
  /** The file that a relative import leads to, as a path of the same form; undefined for packages and `node:`. */
  readonly target: string | undefined
}

export const sourceRoot: string = resolve(import.meta.dirname, '../../src')
const toolRoot: string = resolve(import.meta.dirname, '../../tools/chaos')
export const consoleRoot: string = resolve(import.meta.dirname, '../../console/src')

/** Every TypeScript file below `src/`, tests left out, sorted by path. */
export function readSourceFiles(): readonly SourceFile[] {
  return readFilesBelow(sourceRoot)
}

/** Every TypeScript file of the fault tools, tests left out, sorted by path. */
export function readToolFiles(): readonly SourceFile[] {
  return readFilesBelow(toolRoot)
}

/** Every TypeScript file of the console, tests left out, sorted by path. */
export function readConsoleFiles(): readonly SourceFile[] {
  return readFilesBelow(consoleRoot)
}

/** A file of code anywhere in the repository: source, tests, tools, scripts. */
export interface CodeFile {
  /** The path from the root of the repository on, with slashes. */
  readonly file: string
  readonly text: string
}

const codeFolders = ['src', 'tools', 'test', 'bench', 'scripts', 'bin', 'console']

/** Every file of TypeScript and JavaScript that is written here. */
export function readCodeFiles(): readonly CodeFile[] {
  const root = resolve(sourceRoot, '..')
  return codeFolders.flatMap((folder) =>
    readdirSync(resolve(root, folder), { recursive: true, withFileTypes: true })
      .filter(
        (entry) =>
          entry.isFile() && /\.(tsx?|js)$/.test(entry.name) && !entry.parentPath.includes('node_modules'),
      )
      .map((entry) => resolve(entry.parentPath, entry.name))
      .map((path) => ({
        file: relative(root, path).split(sep).join('/'),
        text: readFileSync(path, 'utf8'),
      })),
  )
}

/** Every comment of these files, the test files with them. */
export function readComments(): readonly CodeFile[] {
  return readCodeFiles().flatMap(({ file, text: code }) => {
    // A comment begins a line or follows code, so that an address in a string is not taken for one.
    const found = code.matchAll(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm)
    return [...found].map(([text]) => ({ file, text }))
  })
}

function readFilesBelow(root: string): readonly SourceFile[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(sourceRoot, resolve(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
    .map(readSourceFile)
}

function readSourceFile(path: string): SourceFile {
  const text = readFileSync(resolve(sourceRoot, path), 'utf8')
  const code = withoutComments(text)
  const imports = importsOf(code).map((specifier) => ({
    specifier,
    target: specifier.startsWith('.')
      ? posix.join(dirname(path), specifier).replace(/^\.\.\/src\//, '')
      : undefined,
  }))
  return { path, folder: folderOf(path), text, code, imports }
}

export function folderOf(path: string): string {
  if (path.startsWith('../tools/')) return 'tools'
  if (path.startsWith('../console/')) return 'console'
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : ''
}

/** The package of an import, or `node:` and the module's first part. */
export function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '')
}

/**
 * The specifiers that a file imports by value or by type: `import`, `export … from`, `import()` and types written with
 * it.
 */
export function importsOf(code: string): readonly string[] {
  const patterns = [
    /^\s*(?:import|export)\b(?:[^'"`;=]|\btype\b)*?\bfrom\s*['"]([^'"]+)['"]/gm,
    /^\s*import\s*['"]([^'"]+)['"]/gm,
    /\b(?:import|require)\s*\(\s*['"]([^'"]+)['"]/g,
  ]
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1] ?? ''))
}

/** The specifiers that a file imports by value: what is imported as a type alone is gone when the code runs. */
export function valueImportsOf(code: string): readonly string[] {
  const ofTypes =
    /^\s*(?:import|export)\s+(?:type\b|\{(?:\s*type\s+[\w$]+(?:\s+as\s+[\w$]+)?\s*,?)+\s*\})[^'"`;=]*?\bfrom\s*['"][^'"]+['"]/gm
  return importsOf(code.replace(ofTypes, '').replace(/\btype\s+\w+\s*=\s*import\([^)]*\)[^\n]*/g, ''))
}

/** Takes comments away; a `//` inside a string that follows a colon, as in addresses, begins no comment. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/(^|[\s;{}(,])\/\/.*$/gm, '$1')
}

/** The code without the text of strings, templates and regular expressions; what a template embeds stays. */
export function withoutStrings(code: string): string {
  return code
    .replace(
      /(^|[=(,:[!&|?;{}\n]\s*|return\s+)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g,
      '$1',
    )
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
    .replace(/`(?:[^`\\$]|\\.|\$(?!\{)|\$\{[^}`]*\})*`/g, (template) =>
      [...template.matchAll(/\$\{([^}`]*)\}/g)].map(([, embedded]) => `(${embedded})`).join(' '),
    )
}

/** The rooms of `wire/` that formats share; every other one is a format's own. */
export const sharedRooms: readonly string[] = [
  'fields',
  'errors',
  'verbatim',
  'openai',
  'claude-models',
  'tools',
  'operations',
]
