import type { SourceFile } from './source-files.ts'

/** The bound of a function; most have far fewer lines. */
export const MAX_FUNCTION_LINES = 60

export interface MeasuredFunction {
  /** The file, the line and the name. */
  readonly name: string
  readonly lines: number
}

export function countLines(text: string): number {
  return text.trimEnd().split('\n').length
}

/**
 * Finds functions by indentation, which the formatter guarantees: a head, the line that ends it with a brace, and the
 * closing brace.
 */
export function findFunctions({
  path,
  text,
}: Pick<SourceFile, 'path' | 'text'>): readonly MeasuredFunction[] {
  const lines = text.split('\n')
  const head =
    /^(\s*)(?:export )?(?:default )?(?:(?:async )?function\*? (\w+)|(?:const|let) (\w+)[^=]*= (?:async )?(?:\(|\w+ =>)|(?:static |async |get |set |override )*(#?\w+)(?:<[^>]*>)?\()/
  return lines.flatMap((line, start) => {
    const match = head.exec(line)
    const name = match?.[2] ?? match?.[3] ?? match?.[4]
    if (match === null || name === undefined || /^(if|for|while|switch|return|catch|super)$/.test(name))
      return []
    const indent = match[1] ?? ''
    const opened = findLine(lines, start, (next) => isAt(next, indent) && next.endsWith('{'), indent)
    if (opened === undefined) return []
    // A brace that closes the parameters opens the body on the same line.
    const isEnd = (next: string) => next.startsWith(`${indent}}`) && !next.endsWith('{')
    const closed = findLine(lines, opened + 1, isEnd, indent)
    return closed === undefined ? [] : [{ name: `${path}:${start + 1} ${name}`, lines: closed - start + 1 }]
  })
}

function isAt(line: string, indent: string): boolean {
  return line.length > indent.length && line.startsWith(indent) && line[indent.length] !== ' '
}

/** The first such line before the text leaves the indentation; a line of its own that ends no head is no function. */
function findLine(
  lines: readonly string[],
  from: number,
  isWanted: (line: string) => boolean,
  indent: string,
): number | undefined {
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    if (index > from && isAt(line, indent) && !/^\s*[)}\]]/.test(line)) return undefined
    if (isWanted(line)) return index
    if (line !== '' && !line.startsWith(indent)) return undefined
  }
  return undefined
}

/**
 * Folders of one folder that import each other in a circle, such as `pipeline/lane > pipeline/relay > pipeline/lane`.
 */
export function findFolderCycles(files: readonly Pick<SourceFile, 'path' | 'imports'>[]): readonly string[] {
  const arrows = new Map<string, Set<string>>()
  for (const { path, imports } of files) {
    for (const { target } of imports) {
      const pair = target === undefined ? undefined : foldersOf(path, target)
      if (pair !== undefined) arrows.set(pair[0], (arrows.get(pair[0]) ?? new Set()).add(pair[1]))
    }
  }
  const found = new Map<string, string>()
  const visit = (folder: string, trail: readonly string[]): void => {
    const start = trail.indexOf(folder)
    if (start !== -1) {
      const cycle = trail.slice(start)
      found.set([...cycle].sort().join(), [...cycle, folder].join(' > '))
      return
    }
    for (const next of arrows.get(folder) ?? []) visit(next, [...trail, folder])
  }
  for (const folder of arrows.keys()) visit(folder, [])
  return [...found.values()]
}

/** The folders of an import between two folders of the same folder; files directly in it belong to neither. */
function foldersOf(path: string, target: string): readonly [string, string] | undefined {
  const [outer, inner, file] = partsOf(path)
  const [outerTarget, innerTarget, fileTarget] = partsOf(target)
  if (outer !== outerTarget || file === undefined || fileTarget === undefined || inner === innerTarget)
    return undefined
  return [`${outer}/${inner}`, `${outer}/${innerTarget}`]
}

/** A fault tool's path begins with that of its package. */
function partsOf(path: string): readonly string[] {
  return path.replace(/^\.\.\/tools\//, '').split('/')
}
