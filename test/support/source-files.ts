import { readdirSync, readFileSync } from 'node:fs'
import { dirname, posix, relative, resolve, sep } from 'node:path'

/** A source file of the product, as the rules of the house see it. */
export interface SourceFile {
  /** Below `src/`, with slashes. */
  readonly path: string
  /** The folder below `src/`; empty for files directly in it. */
  readonly folder: string
  readonly text: string
  /** The text without comments. */
  readonly code: string
  readonly imports: readonly Import[]
}

export interface Import {
  readonly specifier: string
  /** The file below `src/` that a relative import leads to; undefined for packages and `node:`. */
  readonly target: string | undefined
}

export const sourceRoot: string = resolve(import.meta.dirname, '../../src')

/** Every TypeScript file below `src/`, tests left out, sorted by path. */
export function readSourceFiles(): readonly SourceFile[] {
  return readdirSync(sourceRoot, { recursive: true, withFileTypes: true })
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
    target: specifier.startsWith('.') ? posix.join(dirname(path), specifier) : undefined,
  }))
  return { path, folder: folderOf(path), text, code, imports }
}

export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : ''
}

/** The package of an import, or `node:` and the module's first part. */
export function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '')
}

/** What a file imports by value or by type: `import`, `export … from`, `import()` and types written with it. */
export function importsOf(code: string): readonly string[] {
  const patterns = [
    /^\s*(?:import|export)\b(?:[^'"`;=]|\btype\b)*?\bfrom\s*['"]([^'"]+)['"]/gm,
    /^\s*import\s*['"]([^'"]+)['"]/gm,
    /\b(?:import|require)\s*\(\s*['"]([^'"]+)['"]/g,
  ]
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1] ?? ''))
}

/** Takes comments away; a `//` inside a string that follows a colon, as in addresses, is none. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/(^|[\s;{}(,])\/\/.*$/gm, '$1')
}
